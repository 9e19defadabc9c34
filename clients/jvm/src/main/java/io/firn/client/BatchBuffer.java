package io.firn.client;

import java.util.ArrayDeque;
import java.util.Deque;

/** The batches that are fetched and not used up. Guarded by the lock of its client. */
final class BatchBuffer {

  /** Returned where there is no ID. */
  static final long NONE = -1;

  private final int batch;
  private final long maxAgeNanos;

  /** The oldest first. */
  private final Deque<Batch> batches = new ArrayDeque<>();

  /**
   * Creates an empty buffer.
   *
   * @param batch the IDs of a batch; the buffer lacks one while it has no more than these
   * @param maxAgeNanos the age at which a batch is dropped
   */
  BatchBuffer(int batch, long maxAgeNanos) {
    this.batch = batch;
    this.maxAgeNanos = maxAgeNanos;
  }

  void add(Batch fetched) {
    batches.add(fetched);
  }

  /** Returns the next ID of the oldest batch, or {@link #NONE}. */
  long take(long now) {
    for (Batch oldest = batches.peek(); oldest != null; oldest = batches.peek()) {
      if (oldest.left() > 0 && !oldest.isOlderThan(maxAgeNanos, now)) {
        return oldest.draw();
      }
      batches.remove();
    }
    return NONE;
  }

  /** Batches of half the age don't count: they are replaced before they are dropped. */
  boolean isLacking(long now) {
    int left = 0;
    for (Batch each : batches) {
      left += each.isOlderThan(maxAgeNanos / 2, now) ? 0 : each.left();
    }
    return left <= batch;
  }

  void clear() {
    batches.clear();
  }
}
