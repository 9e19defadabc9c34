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

  /** Returns the clocks and the scheduler of this machine. */
  static TimeSource system() {
    return SystemTimeSource.INSTANCE;
  }
}
