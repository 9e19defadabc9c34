package io.firn.segment;

import io.firn.time.TimeSource;

/** The time that one call may still wait, over all of its segments. For one thread. */
final class WaitBudget {

  private final TimeSource time;
  private final long maxNanos;
  private boolean waiting;
  private long beginNanos;

  WaitBudget(TimeSource time, long maxNanos) {
    this.time = time;
    this.maxNanos = maxNanos;
  }

  /**
   * Begins to wait, unless the call has waited before.
   *
   * @return whether it is the first time
   */
  boolean begin() {
    boolean first = !waiting;
    if (first) {
      waiting = true;
      beginNanos = time.nanoTime();
    }
    return first;
  }

  long waitedNanos() {
    return time.nanoTime() - beginNanos;
  }

  long leftNanos() {
    return maxNanos - waitedNanos();
  }
}
