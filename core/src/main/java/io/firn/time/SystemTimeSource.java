package io.firn.time;

import java.security.SecureRandom;
import java.util.concurrent.locks.LockSupport;

/** The one class of Firn that touches the machine's clocks, scheduler and random numbers. */
enum SystemTimeSource implements TimeSource {
  INSTANCE;

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

  @Override
  public long random(long bound) {
    return random.nextLong(bound);
  }

  @Override
  public void randomBytes(byte[] target) {
    random.nextBytes(target);
  }
}
