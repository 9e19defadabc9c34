package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The value of the register of a namespace's watermark.
 *
 * @param floorMillis a process that acquires a worker ID begins here or later
 * @param beforeMillis every ID with a time before it is committed, or never will be
 * @param everyMillis how often its reader wants low marks; 0 for with each renewal
 * @param graceMillis how long after its fence a holder's worker is not taken over
 */
record FloorRecord(long floorMillis, long beforeMillis, long everyMillis, long graceMillis) {

  /** The grace that is in no register, in milliseconds. */
  static final long GRACE_MILLIS = 10_000;

  private static final String KIND = "firn-watermark";
  private static final int FORMAT = 1;

  static FloorRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    try {
      return new FloorRecord(
          Instant.parse(RecordText.required(register, fields, "floor")).toEpochMilli(),
          Instant.parse(RecordText.required(register, fields, "before")).toEpochMilli(),
          Long.parseLong(fields.getOrDefault("everyMillis", "0")),
          Long.parseLong(fields.getOrDefault("graceMillis", String.valueOf(GRACE_MILLIS))));
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw RecordText.refused(
          register, "floor and before instants, everyMillis and graceMillis numbers");
    }
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("floor", Instant.ofEpochMilli(floorMillis));
    fields.put("before", Instant.ofEpochMilli(beforeMillis));
    if (everyMillis > 0) {
      fields.put("everyMillis", everyMillis);
    }
    if (graceMillis != GRACE_MILLIS) {
      fields.put("graceMillis", graceMillis);
    }
    return RecordText.write(KIND, FORMAT, fields);
  }

  /** Raises the floor for a reader. Of several, the longest grace counts. */
  FloorRecord raised(long floor, long every, long grace) {
    return new FloorRecord(
        Math.max(floorMillis, floor), beforeMillis, every, Math.max(graceMillis, grace));
  }

  FloorRecord published(long before) {
    return new FloorRecord(floorMillis, Math.max(beforeMillis, before), everyMillis, graceMillis);
  }
}
