package io.firn.internal;

import io.firn.store.Register;
import io.firn.time.TimeSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The text of a record: a kind with its format number, then {@code key=value} pairs, separated by
 * single spaces, so that an operator can read it: {@code firn-worker/1 fence=… state=held}.
 */
public final class RecordText {

  private RecordText() {}

  public static String write(String kind, int format, Map<String, ?> fields) {
    StringBuilder text = new StringBuilder(kind).append('/').append(format);
    fields.forEach((key, value) -> text.append(' ').append(key).append('=').append(value));
    return text.toString();
  }

  /** Returns a text that names one write. */
  public static String nonce(TimeSource time) {
    return Long.toHexString(time.random(Long.MAX_VALUE));
  }

  /** Reads the fields of a record; unknown keys are kept, so that a format may gain some. */
  public static Map<String, String> read(Register register, String kind, int format) {
    String[] words = register.value().split(" ", -1);
    if (!words[0].equals(kind + "/" + format)) {
      throw refused(register, kind + "/" + format + " …");
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw refused(register, "key=value pairs after " + words[0]);
      }
      fields.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return fields;
  }

  public static String required(Register register, Map<String, String> fields, String key) {
    String value = fields.get(key);
    if (value == null) {
      throw refused(register, key + "=…");
    }
    return value;
  }

  public static UnreadableRecordException refused(Register register, String expected) {
    return new UnreadableRecordException(
        "Register "
            + register.name()
            + " cannot be read: it holds "
            + register.value()
            + ", and this version reads "
            + expected
            + "; use the version that wrote it, or restore the register");
  }
}
