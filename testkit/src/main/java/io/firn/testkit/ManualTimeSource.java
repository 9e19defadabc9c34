package io.firn.testkit;

import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves only when a test moves it, or when someone parks: a park ends at once, and the
 * time that it asked for has passed. Random numbers come from a seed. Thread-safe.
 */
public final class ManualTimeSource implements TimeSource {

  private static final long NOT_FROZEN = -1;
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong elapsedNanos = new AtomicLong();
  private final AtomicLong wallOffsetMillis = new AtomicLong();
  private final AtomicLong stoodStillNanos = new AtomicLong();
  private final AtomicLong randomState;
  private volatile long frozenElapsedNanos = NOT_FROZEN;

  /** Creates a clock that reads {@code start}, with random numbers from seed 0. */
  public ManualTimeSource(Instant start) {
    this(start, 0);
  }

  /** Creates a clock that reads {@code start}, with random numbers from {@code seed}. */
  public ManualTimeSource(Instant start, long seed) {
    wallOffsetMillis.set(start.toEpochMilli());
    randomState = new AtomicLong(seed);
  }

  @Override
  public long currentTimeMillis() {
    long frozen = frozenElapsedNanos;
    long elapsed = frozen == NOT_FROZEN ? elapsedNanos.get() : frozen;
    return wallOffsetMillis.get() + Math.floorDiv(elapsed - stoodStillNanos.get(), NANOS_PER_MILLI);
  }

  @Override
  public long nanoTime() {
    return elapsedNanos.get();
  }

  @Override
  public void parkNanos(long nanos) {
    elapsedNanos.addAndGet(nanos);
  }

  /** Returns the next number of a SplitMix64 sequence, reduced to the bound. */
  @Override
  public long random(long bound) {
    long z = randomState.addAndGet(0x9e3779b97f4a7c15L);
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return Long.remainderUnsigned(z ^ (z >>> 31), bound);
  }

  /** Lets time pass on both clocks. */
  public void advance(Duration duration) {
    elapsedNanos.addAndGet(duration.toNanos());
  }

  /** Moves the wall clock alone, forward or, with a negative duration, back. */
  public void step(Duration duration) {
    wallOffsetMillis.addAndGet(duration.toMillis());
  }

  /** Stops the wall clock, if it is not stopped; the other clock continues. */
  public synchronized void freeze() {
    if (frozenElapsedNanos == NOT_FROZEN) {
      frozenElapsedNanos = elapsedNanos.get();
    }
  }

  /** Lets the wall clock continue from where it was stopped. */
  public synchronized void thaw() {
    if (frozenElapsedNanos != NOT_FROZEN) {
      stoodStillNanos.addAndGet(elapsedNanos.get() - frozenElapsedNanos);
      frozenElapsedNanos = NOT_FROZEN;
    }
  }
}
