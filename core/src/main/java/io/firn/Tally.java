package io.firn;

import io.firn.internal.Word;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What a generator notes where it leaves the fast path: when its word moves to another tick, when
 * it waits, when a drawn number is not used. Thread-safe.
 */
final class Tally {

  private final AtomicLong latest;
  private final AtomicLong skipped = new AtomicLong();
  private final AtomicInteger skipping = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong waits = new AtomicLong();
  private final AtomicLong clockSteps = new AtomicLong();
  private final AtomicBoolean steppedBack = new AtomicBoolean();

  /** A tally whose latest reading of the clock is {@code nowMillis}. */
  Tally(long nowMillis) {
    latest = new AtomicLong(nowMillis);
  }

  /** The latest reading of the clock that was noted. */
  long latestReading() {
    return latest.get();
  }

  /** Notes a reading of the clock. */
  void clockReads(long nowMillis) {
    if (nowMillis > latest.get()) {
      latest.accumulateAndGet(nowMillis, Math::max);
      steppedBack.set(false);
    }
  }

  /**
   * How far the clock is behind the latest reading.
   *
   * @param latestMillis taken before {@code nowMillis}: a reading that merely lost a race against
   *     another thread's is not a step
   */
  long stepBack(long latestMillis, long nowMillis) {
    if (nowMillis >= latestMillis) {
      clockReads(nowMillis);
      return 0;
    }
    if (steppedBack.compareAndSet(false, true)) {
      clockSteps.incrementAndGet();
    }
    return latestMillis - nowMillis;
  }

  /** Moves the word over numbers that nobody draws, and keeps count of them. */
  boolean skip(Word word, long seen, long first, long next) {
    skipping.incrementAndGet();
    try {
      boolean moved = word.compareAndSet(seen, next);
      if (moved) {
        skipped.addAndGet(first - seen);
      }
      return moved;
    } finally {
      skipping.decrementAndGet();
    }
  }

  void dropped(long count) {
    dropped.addAndGet(count);
  }

  void waited() {
    waits.incrementAndGet();
  }

  /**
   * How many of the numbers from {@code initial} on were drawn and used.
   *
   * @param end where the numbers that were drawn end now
   */
  long issued(LongSupplier end, long initial) {
    for (int attempts = 0; ; attempts++) {
      long before = skipped.get();
      long issued = end.getAsLong() - initial - before - dropped.get();
      if ((skipping.get() == 0 && skipped.get() == before) || attempts == 1_000) {
        return Math.max(0, issued);
      }
      Thread.onSpinWait();
    }
  }

  long waits() {
    return waits.get();
  }

  long clockSteps() {
    return clockSteps.get();
  }
}
