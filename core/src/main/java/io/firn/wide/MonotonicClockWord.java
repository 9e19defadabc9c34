package io.firn.wide;

import io.firn.FirnException;
import io.firn.internal.PaddedCounter;
import java.time.Instant;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * A time and a counter as one number that only grows, the counter in its low bits. Thread-safe,
 * without a lock.
 *
 * <p>A caller draws the next number by add-and-fetch, and each number is drawn once. If the
 * number's time is behind the clock, one compare-and-set moves the word on to the clock's time, and
 * to a random counter in the lower half of its range: processes then do not count alike, and at
 * least half of the range is left. A used-up counter carries into the time, and a clock that steps
 * back changes nothing: in both cases the time runs ahead of the clock until the clock has caught
 * up. A negative time counts as 0.
 */
final class MonotonicClockWord {

  private final PaddedCounter newest = new PaddedCounter(0);
  private final LongSupplier clock;
  private final LongSupplier counters;
  private final int counterBits;
  private final long lastTime;
  private final LongFunction<Instant> times;
  private final long unreadMask;

  /**
   * Creates a word at the clock's time. A clock past the end of the range gives a word at time 0 if
   * each number reads the clock: then {@link #next} fails until the clock is corrected.
   *
   * @param clock the time
   * @param counters random numbers of {@code counterBits - 1} bits
   * @param lastTime the end of the time's range
   * @param times returns the instant of a time
   * @param numbersPerReading how often the clock is read: a power of two
   * @throws FirnException if the clock is past the end, and not each number reads it
   */
  MonotonicClockWord(
      LongSupplier clock,
      LongSupplier counters,
      int counterBits,
      long lastTime,
      LongFunction<Instant> times,
      long numbersPerReading) {
    this.clock = clock;
    this.counters = counters;
    this.counterBits = counterBits;
    this.lastTime = lastTime;
    this.times = times;
    unreadMask = numbersPerReading - 1;
    long now = clock.getAsLong();
    moveOn(numbersPerReading == 1 && now > lastTime ? 0 : now);
  }

  /**
   * Draws a number.
   *
   * @throws FirnException if the clock, or the number, is past the end of the time's range
   */
  long next() {
    long drawn = newest.incrementWithBackoff() + 1;
    if ((drawn & unreadMask) == 0) {
      long now = clock.getAsLong();
      if (drawn >>> counterBits < now) {
        drawn = moveOn(now);
      }
    }
    if (drawn >>> counterBits > lastTime) {
      throw new FirnException(
          "All IDs up to "
              + times.apply(lastTime)
              + " are used up, the last time that they can hold; correct the clock if it was wrong,"
              + " and make a new generator");
    }
    return drawn;
  }

  private long moveOn(long now) {
    if (now > lastTime) {
      throw pastTheEnd(now, lastTime, times);
    }
    long first = Math.max(0, now) << counterBits | counters.getAsLong();
    for (long seen = newest.get(); seen < first; seen = newest.get()) {
      if (newest.compareAndSet(seen, first)) {
        return first;
      }
    }
    return newest.getAndAdd(1) + 1;
  }

  /** Returns the exception of a clock that is past the last time of the IDs. */
  static FirnException pastTheEnd(long now, long lastTime, LongFunction<Instant> times) {
    return new FirnException(
        "The clock reads "
            + times.apply(now)
            + ", past "
            + times.apply(lastTime)
            + ", the last time that these IDs can hold; correct the clock");
  }
}
