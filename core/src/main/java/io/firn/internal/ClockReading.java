package io.firn.internal;

import io.firn.time.TimeSource;

/** A reading of the wall clock and of the monotonic clock. */
public record ClockReading(long wallMillis, long nanos) {

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** More than a few wrong readings in a row are no accident: the clock is wrong, or stepping. */
  private static final int MAX_READINGS = 8;

  /** Reads both clocks. */
  public static ClockReading of(TimeSource time) {
    return new ClockReading(time.currentTimeMillis(), time.nanoTime());
  }

  /**
   * Reads both clocks until two readings in a row agree, so that a single wrong reading counts for
   * nothing.
   *
   * @param maxJumpMillis how far the progress of the two clocks may differ
   */
  public static ClockReading confirmed(TimeSource time, long maxJumpMillis) {
    ClockReading last = of(time);
    for (int i = 1; i < MAX_READINGS; i++) {
      ClockReading next = of(time);
      if (!last.isJump(next, maxJumpMillis)) {
        return next;
      }
      last = next;
    }
    return last;
  }

  /** Returns what the wall clock should read at a later reading. */
  public long expectedMillis(ClockReading later) {
    return wallMillis + (later.nanos - nanos) / NANOS_PER_MILLI;
  }

  /** Returns whether the wall clock has moved otherwise than the monotonic clock since this. */
  public boolean isJump(ClockReading later, long maxJumpMillis) {
    return Math.abs(later.wallMillis - expectedMillis(later)) > maxJumpMillis;
  }
}
