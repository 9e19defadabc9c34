package io.firn.simulation.world;

import java.time.Instant;

/**
 * The record of a worker, read again from its text: the simulator judges the production code and
 * must not believe its parser.
 */
public record WorkerText(long fenceMillis, boolean held, long sinceMillis, String token) {

  private static final String HEAD = "firn-worker/1 ";

  public static WorkerText parse(String value) {
    if (!value.startsWith(HEAD)) {
      throw new Violation("a worker's register holds: " + value);
    }
    return new WorkerText(
        isReserved(value)
            ? untilMillis(value)
            : Instant.parse(field(value, "fence")).toEpochMilli(),
        field(value, "state").equals("held"),
        Instant.parse(field(value, "since")).toEpochMilli(),
        field(value, "token"));
  }

  /** Returns whether it is the record of a worker that another system uses. */
  static boolean isReserved(String value) {
    return value.startsWith(HEAD + "state=reserved ");
  }

  private static long untilMillis(String value) {
    return value.contains(" until=")
        ? Instant.parse(field(value, "until")).toEpochMilli()
        : Long.MAX_VALUE;
  }

  private static String field(String value, String key) {
    String name = " " + key + "=";
    int begin = value.indexOf(name) + name.length();
    int end = value.indexOf(' ', begin);
    return value.substring(begin, end < 0 ? value.length() : end);
  }
}
