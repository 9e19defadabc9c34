package io.firn.time;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.util.concurrent.locks.LockSupport;

/** The one class of Firn that touches the machine's clocks, scheduler and random numbers. */
enum SystemTimeSource implements TimeSource {
  INSTANCE;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The longest park before a time, so that a clock that steps forward is noticed. */
  private static final long MAX_PARK_MILLIS = 100;

  /** Not seeded from clocks: processes that start together must draw different numbers. */
  @SuppressWarnings("ImmutableEnumChecker") // thread-safe
  private final SecureRandom random = new SecureRandom();

  @Override
  public long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  /** Reads the parts of the millisecond too: one park ends right after the millisecond begins. */
  @Override
  public void parkUntil(long dueMillis, long nowMillis) {
    Instant now = Instant.now();
    long left = Math.min(dueMillis - now.toEpochMilli(), dueMillis - nowMillis);
    if (left > 0) {
      parkNanos(
          Math.min(MAX_PARK_MILLIS, left) * NANOS_PER_MILLI
              - now.getLong(ChronoField.NANO_OF_SECOND) % NANOS_PER_MILLI);
    }
  }

  @Override
  public long random(long bound) {
    return random.nextLong(bound);
  }

  @Override
  public void randomBytes(byte[] target) {
    random.nextBytes(target);
  }
}
