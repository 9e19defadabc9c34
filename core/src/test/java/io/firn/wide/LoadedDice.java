package io.firn.wide;

import io.firn.time.TimeSource;

/** A clock that is set by hand, and random numbers that are all alike. */
final class LoadedDice implements TimeSource {

  private final int randomByte;
  long millis = 1_000_000;

  /** Throws 0 or 255 for every byte: the lowest or the highest of all random numbers. */
  LoadedDice(int randomByte) {
    this.randomByte = randomByte;
  }

  @Override
  public long currentTimeMillis() {
    return millis;
  }

  @Override
  public long nanoTime() {
    throw new AssertionError();
  }

  @Override
  public void parkNanos(long nanos) {
    throw new AssertionError();
  }

  @Override
  public long random(long bound) {
    return randomByte == 0 ? 0 : bound - 1;
  }
}
