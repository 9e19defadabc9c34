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
 * The value of a namespace's register.
 *
 * @param layouts the layouts of its IDs
 * @param homes its home datacenters in this store; none if it has every worker
 * @param mark what is agreed about losses, with the mark; null where the store has no identity
 */
record NamespaceRecord(Layouts layouts, Homes homes, @Nullable MarkRecord mark) {

  /**
   * The agreement of the processes of a namespace about losses of the store.
   *
   * @param settleMillis how long after the mark no window begins
   * @param afterLoss what new processes do until then
   * @param identity the identity of the store that the mark was written under
   * @param nonce names the mark
   * @param sinceMillis the store's clock when the mark was written; empty until its writer has read
   *     that
   * @param before the identity of the mark before; empty if there was none
   */
  record MarkRecord(
      long settleMillis,
      AfterLoss afterLoss,
      String identity,
      String nonce,
      OptionalLong sinceMillis,
      String before) {

    /** Returns a new mark with the same agreement, whose time is not known yet. */
    MarkRecord renewed(String newIdentity, String newNonce) {
      return new MarkRecord(
          settleMillis,
          afterLoss,
          newIdentity,
          newNonce,
          OptionalLong.empty(),
          newIdentity.equals(identity) ? "" : identity);
    }

    MarkRecord withSettleMillis(long millis) {
      return new MarkRecord(millis, afterLoss, identity, nonce, sinceMillis, before);
    }

    MarkRecord withAfterLoss(AfterLoss other) {
      return new MarkRecord(settleMillis, other, identity, nonce, sinceMillis, before);
    }

    MarkRecord withSince(long millis) {
      return new MarkRecord(
          settleMillis, afterLoss, identity, nonce, OptionalLong.of(millis), before);
    }

    /** Returns where windows begin at the earliest under a mark that is complete. */
    long settledAtMillis() {
      return sinceMillis.orElseThrow() + settleMillis;
    }
  }

  static final String KIND = "firn-namespace";
  static final int FORMAT = 1;
  static final int MARKED_FORMAT = 2;

  /** With home datacenters: a process that does not know of them must not lease here. */
  static final int HOME_FORMAT = 3;

  /** With another layout before or after: so must a process that does not know of that. */
  static final int CHANGED_FORMAT = 4;

  static NamespaceRecord parse(Register register) {
    int format = formatOf(register);
    Map<String, String> fields = RecordText.read(register, KIND, format);
    Layouts layouts = Layouts.parse(register, fields);
    boolean home = format == HOME_FORMAT || fields.containsKey("datacenters");
    Homes homes =
        home
            ? Homes.parse(register, RecordText.required(register, fields, "datacenters"))
            : Homes.NONE;
    boolean marked = format == MARKED_FORMAT || (format > FORMAT && fields.containsKey("mark"));
    return new NamespaceRecord(layouts, homes, marked ? mark(register, fields) : null);
  }

  private static int formatOf(Register register) {
    for (int format = CHANGED_FORMAT; format > FORMAT; format--) {
      if (register.value().startsWith(KIND + "/" + format + " ")) {
        return format;
      }
    }
    return FORMAT;
  }

  NamespaceRecord withLayouts(Layouts changed) {
    return new NamespaceRecord(changed, homes, mark);
  }

  NamespaceRecord withHomes(Homes others) {
    return new NamespaceRecord(layouts, others, mark);
  }

  NamespaceRecord withMark(MarkRecord other) {
    return new NamespaceRecord(layouts, homes, other);
  }

  private static MarkRecord mark(Register register, Map<String, String> fields) {
    String since = fields.get("since");
    try {
      return new MarkRecord(
          Long.parseLong(RecordText.required(register, fields, "settleMillis")),
          afterLoss(register, RecordText.required(register, fields, "afterLoss")),
          RecordText.required(register, fields, "store"),
          RecordText.required(register, fields, "mark"),
          since == null
              ? OptionalLong.empty()
              : OptionalLong.of(Instant.parse(since).toEpochMilli()),
          fields.getOrDefault("before", ""));
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw RecordText.refused(register, "settleMillis a number and since an instant");
    }
  }

  private static AfterLoss afterLoss(Register register, String text) {
    try {
      return AfterLoss.of(text);
    } catch (IllegalArgumentException e) {
      throw RecordText.refused(register, "afterLoss=ahead or afterLoss=wait");
    }
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    layouts.write(fields);
    if (homes.areRecorded()) {
      fields.put("datacenters", homes);
    }
    MarkRecord written = mark;
    if (written != null) {
      fields.put("settleMillis", written.settleMillis);
      fields.put("afterLoss", written.afterLoss.label());
      fields.put("store", written.identity);
      fields.put("mark", written.nonce);
      written.sinceMillis.ifPresent(since -> fields.put("since", Instant.ofEpochMilli(since)));
      if (!written.before.isEmpty()) {
        fields.put("before", written.before);
      }
    }
    return RecordText.write(KIND, format(), fields);
  }

  private int format() {
    if (!layouts.isPlain()) {
      return CHANGED_FORMAT;
    }
    return homes.areRecorded() ? HOME_FORMAT : mark == null ? FORMAT : MARKED_FORMAT;
  }
}
