package io.firn.jdbc;

import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;

/** When a call must have returned. */
final class Deadline {

  private final TimeSource time = TimeSource.system();
  private final long beginNanos = time.nanoTime();
  private final long millis;

  /** So long from now on. */
  Deadline(long millis) {
    this.millis = millis;
  }

  long passedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - beginNanos);
  }

  /** At least 1, because 0 is for ever to most who are told it. */
  long leftMillis() {
    return Math.max(1, millis - passedMillis());
  }

  boolean isOver() {
    return passedMillis() >= millis;
  }
}
