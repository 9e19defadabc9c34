package io.firn.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for the requests that wait for IDs, in all namespaces together. Long requests leave
 * half of it to short ones: ten thousand of these fit in a heap of 128 MB. Thread-safe.
 */
final class Backlog {

  /** The part of the heap that they may fill. */
  private static final int HEAP_SHARE = 16;

  /** The cost of a request beside its IDs, counted in IDs. */
  private static final int OVERHEAD_IDS = 32;

  /** The most IDs that a short request wants. */
  private static final int MAX_SHORT_IDS = 16;

  private final long mostIds;
  private final AtomicLong ids = new AtomicLong();

  Backlog(long mostIds) {
    this.mostIds = mostIds;
  }

  static Backlog ofProcess() {
    return new Backlog(Runtime.getRuntime().maxMemory() / HEAP_SHARE / Long.BYTES);
  }

  /** Returns whether a request for a number of IDs is a short one. */
  static boolean isShort(int count) {
    return count <= MAX_SHORT_IDS;
  }

  /** Adds a request for a number of IDs; returns false if there is no room for it. */
  boolean add(int count) {
    long cost = cost(count);
    if (ids.addAndGet(cost) > (isShort(count) ? mostIds : mostIds / 2)) {
      ids.addAndGet(-cost);
      return false;
    }
    return true;
  }

  void remove(int count) {
    ids.addAndGet(-cost(count));
  }

  private static long cost(int count) {
    return (long) count + OVERHEAD_IDS;
  }
}
