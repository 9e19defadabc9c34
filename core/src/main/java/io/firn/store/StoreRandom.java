package io.firn.store;

import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;

/** Random numbers, and versions that do not repeat, for the authors of stores. Thread-safe. */
public final class StoreRandom {

  /** The most by which a version grows where its clock is behind. */
  private static final long MAX_STRIDE = 1 << 20;

  private static final long MICROS_PER_MILLI = 1_000;

  private StoreRandom() {}

  /**
   * Returns a uniformly distributed number.
   *
   * @param bound the number of different outcomes, at least 1
   * @return a number in 0..bound-1
   */
  public static long below(long bound) {
    return TimeSource.system().random(bound);
  }

  /**
   * Returns the version of a register that was absent: the time in microseconds, so that a register
   * that was lost does not begin again with the versions of the one before.
   */
  public static long firstVersion() {
    return TimeUnit.MILLISECONDS.toMicros(TimeSource.system().currentTimeMillis())
        + below(MICROS_PER_MILLI);
  }

  /**
   * Returns by how much a version grows where it is derived from a clock and that clock is behind:
   * 1..2^20, so that after a loss the same version is not given twice.
   */
  public static long versionStride() {
    return 1 + below(MAX_STRIDE);
  }
}
