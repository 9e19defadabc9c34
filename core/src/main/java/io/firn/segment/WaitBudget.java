package io.firn.segment;

import io.firn.time.TimeSource;

/** The time that one call may still wait for its next number. For one thread. */
final class WaitBudget {

  private final TimeSource time;
  private boolean used;
  private boolean waiting;
  private long beginNanos;
  private long maxNanos;

  WaitBudget(TimeSource time) {
    this.time = time;
  }

  /**
   * Begins to wait for at most that long, unless the call has waited for this number before.
   *
   * @return whether the call waits for the first time
   */
  boolean begin(long maxNanos) {
    boolean first = !used;
    used = true;
    if (!waiting) {
      waiting = true;
      this.maxNanos = maxNanos;
      beginNanos = time.nanoTime();
    }
    return first;
  }

  /** Ends the wait: the call has drawn numbers. */
  void end() {
    waiting = false;
  }

  long waitedNanos() {
    return time.nanoTime() - beginNanos;
  }

  long leftNanos() {
    return maxNanos - waitedNanos();
  }
}
