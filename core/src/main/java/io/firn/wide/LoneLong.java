package io.firn.wide;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * An atomic number, alone on its cache lines: 120 bytes of padding before and after keep its
 * neighbours, and the adjacent-line prefetcher, from slowing down its writers.
 */
final class LoneLong {

  private static final int PADDING = 15;

  private final AtomicLongArray lines = new AtomicLongArray(PADDING + 1 + PADDING);

  /** Volatile. */
  long get() {
    return lines.get(PADDING);
  }

  /** Opaque: a glance. */
  long peek() {
    return lines.getOpaque(PADDING);
  }

  /** Volatile: the increments of all threads have one order. */
  long incrementAndGet() {
    return lines.incrementAndGet(PADDING);
  }

  /** Volatile. */
  boolean compareAndSet(long expected, long next) {
    return lines.compareAndSet(PADDING, expected, next);
  }

  /** Release: whoever sees it sees what was written before. */
  void setRelease(long next) {
    lines.setRelease(PADDING, next);
  }
}
