package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The value of a worker's register.
 *
 * @param fenceMillis no ID of this worker at or past it has ever been permitted
 * @param held whether a generator has it, or gave it back cleanly
 * @param sinceMillis the first instant of ID time of the acquisition, for people; none in a record
 *     that an early release wrote
 * @param windowMillis the length of the holder's window
 * @param holder the instance that wrote it, for people
 * @param pid its process, for people
 * @param token names the one acquisition that wrote it
 * @param nonce names the one write; empty in a record of an early release
 */
record WorkerRecord(
    long fenceMillis,
    boolean held,
    OptionalLong sinceMillis,
    long windowMillis,
    String holder,
    long pid,
    String token,
    String nonce) {

  private static final String KIND = "firn-worker";
  private static final int FORMAT = 1;
  private static final String HELD = "held";
  private static final String RELEASED = "released";

  static WorkerRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    try {
      return new WorkerRecord(
          Instant.parse(RecordText.required(register, fields, "fence")).toEpochMilli(),
          isHeld(register, RecordText.required(register, fields, "state")),
          since(fields.get("since")),
          Long.parseLong(RecordText.required(register, fields, "windowMillis")),
          RecordText.required(register, fields, "holder"),
          Long.parseLong(RecordText.required(register, fields, "pid")),
          RecordText.required(register, fields, "token"),
          fields.getOrDefault("nonce", ""));
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw RecordText.refused(register, "fence and since instants, windowMillis and pid numbers");
    }
  }

  private static OptionalLong since(@Nullable String text) {
    return text == null
        ? OptionalLong.empty()
        : OptionalLong.of(Instant.parse(text).toEpochMilli());
  }

  private static boolean isHeld(Register register, String state) {
    return switch (state) {
      case HELD -> true;
      case RELEASED -> false;
      default -> throw RecordText.refused(register, "state=held or state=released");
    };
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("state", held ? HELD : RELEASED);
    fields.put("fence", Instant.ofEpochMilli(fenceMillis));
    sinceMillis.ifPresent(since -> fields.put("since", Instant.ofEpochMilli(since)));
    fields.put("windowMillis", windowMillis);
    fields.put("holder", holder);
    fields.put("pid", pid);
    fields.put("token", token);
    if (!nonce.isEmpty()) {
      fields.put("nonce", nonce);
    }
    return RecordText.write(KIND, FORMAT, fields);
  }

  WorkerRecord withFence(long millis) {
    return new WorkerRecord(millis, held, sinceMillis, windowMillis, holder, pid, token, nonce);
  }

  WorkerRecord withNonce(String fresh) {
    return new WorkerRecord(
        fenceMillis, held, sinceMillis, windowMillis, holder, pid, token, fresh);
  }

  WorkerRecord released(long millis) {
    return new WorkerRecord(millis, false, sinceMillis, windowMillis, holder, pid, token, nonce);
  }

  /**
   * From when on another may have this worker without getting in its holder's way.
   *
   * @param grace how long after its fence a worker stays taken that was not given back
   */
  long freeAtMillis(long grace) {
    return held ? fenceMillis + grace : fenceMillis;
  }
}
