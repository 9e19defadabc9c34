package io.firn.time;

/**
 * Clocks, parking and randomness behind one interface, so that a test or a simulation can replace
 * all of them at once. Implementations are thread-safe.
 */
public interface TimeSource {

  /**
   * Returns the wall clock, in milliseconds since 1970-01-01T00:00Z. It may jump forward, step back
   * or stop.
   */
  long currentTimeMillis();

  /** Returns a clock that never steps back, in nanoseconds since an arbitrary origin. */
  long nanoTime();

  /**
   * Blocks the calling thread for at most {@code nanos} nanoseconds, without holding its carrier if
   * it is a virtual thread. Returns early when the thread is interrupted (the interrupt status
   * stays set), and may return early for no reason.
   */
  void parkNanos(long nanos);

  /**
   * Blocks the calling thread as {@link #parkNanos} does, until about the time at which the wall
   * clock reaches {@code dueMillis}, for at most 100 ms. A source whose wall clock has no parts of
   * a millisecond parks for 200 μs at a time in the last one.
   *
   * @param dueMillis milliseconds since 1970-01-01T00:00Z
   * @param nowMillis what the caller has just read, before {@code dueMillis}
   */
  default void parkUntil(long dueMillis, long nowMillis) {
    long left = dueMillis - nowMillis;
    parkNanos(left <= 1 ? 200_000 : Math.min(100, left - 1) * 1_000_000);
  }

  /**
   * Returns a uniformly distributed number, which no other process can be expected to draw too
   * where the bound is large.
   *
   * @param bound the number of different outcomes, at least 1
   * @return a number in 0..bound-1
   */
  long random(long bound);

  /** Fills the array with unpredictable bytes, for keys; as unpredictable as {@link #random}. */
  default void randomBytes(byte[] target) {
    for (int i = 0; i < target.length; i++) {
      target[i] = (byte) random(256);
    }
  }

  /**
   * Returns the source that reads the clock at each call: this one, unless it is {@link #coarse}. A
   * time that is compared with that of another process is read from it.
   */
  default TimeSource precise() {
    return this;
  }

  /** Returns the clocks and the scheduler of this machine. */
  static TimeSource system() {
    return SystemTimeSource.INSTANCE;
  }

  /**
   * Returns the clocks and the scheduler of this machine, with a wall clock that costs no system
   * call: one thread of the process keeps the newest millisecond for all. It is for generators that
   * issue more IDs in a second than the clock can be read.
   *
   * <p>A reading is one of the machine's clock, and may be as old as that thread waits for a core:
   * some 0.1 ms on a machine with a free one, some milliseconds on a busy one, and the whole pause
   * where a process is stopped and goes on. The first reading after a few milliseconds without any
   * is new.
   *
   * <p>A {@code Snowflake} asks it only whether the tick of the newest ID goes on; each new tick,
   * each wait, the lease and all that is compared with other processes uses {@link #precise}. So
   * IDs stay unique and in order, and what may be late is the time in them. A generator that has
   * opened a scope, or whose namespace has a watermark, uses {@link #precise} for each ID. A
   * process that is copied while it runs needs {@link #system}: until their threads run, both
   * copies may go on in the millisecond of the copy.
   *
   * <p>The thread is a daemon. It starts when two readings fall into one millisecond, wakes once a
   * millisecond, and ends after a second without readers.
   */
  static TimeSource coarse() {
    return CoarseTimeSource.OfProcess.INSTANCE;
  }
}
