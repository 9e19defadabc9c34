package io.firn.time;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** The one class of Firn that touches the machine's clocks, scheduler and random numbers. */
enum SystemTimeSource implements TimeSource {
  INSTANCE;

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
    return ThreadLocalRandom.current().nextLong(bound);
  }
}
