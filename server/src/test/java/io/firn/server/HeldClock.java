package io.firn.server;

import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves only when a test moves it, also while threads are parked: those who wait for
 * it wait until the test continues. Thread-safe.
 */
final class HeldClock implements TimeSource {

  private static final TimeSource SYSTEM = TimeSource.system();

  private final long beginMillis = SYSTEM.currentTimeMillis();
  private final AtomicLong elapsedNanos = new AtomicLong();

  private volatile long nanosPerReading;

  /** Lets time pass whenever someone looks how much has passed. */
  void advanceAtReadings(Duration each) {
    nanosPerReading = each.toNanos();
  }

  /** Lets time pass. */
  void advance(Duration duration) {
    elapsedNanos.addAndGet(duration.toNanos());
  }

  @Override
  public long currentTimeMillis() {
    return beginMillis + elapsedNanos.get() / 1_000_000;
  }

  @Override
  public long nanoTime() {
    return elapsedNanos.getAndAdd(nanosPerReading);
  }

  @Override
  public void parkNanos(long nanos) {
    SYSTEM.parkNanos(nanos);
  }

  @Override
  public long random(long bound) {
    return SYSTEM.random(bound);
  }
}
