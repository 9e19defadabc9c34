package io.firn.client;

/** IDs of one answer, in its order. Guarded by the lock of its client. */
final class Batch {

  private final long[] ids;
  private final long bornNanos;
  private int next;

  /**
   * A batch of which none is drawn.
   *
   * @param bornNanos when it was requested, by the monotonic clock
   */
  Batch(long[] ids, long bornNanos) {
    this.ids = ids;
    this.bornNanos = bornNanos;
  }

  int left() {
    return ids.length - next;
  }

  long draw() {
    return ids[next++];
  }

  boolean isOlderThan(long nanos, long now) {
    return now - bornNanos >= nanos;
  }
}
