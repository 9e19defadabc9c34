package io.firn.testkit;

import io.firn.time.TimeSource;

/** A clock that asks another one. A subclass changes what it needs. As thread-safe as that one. */
public class ForwardingTimeSource implements TimeSource {

  private final TimeSource time;

  /** Forwards to that clock. */
  public ForwardingTimeSource(TimeSource time) {
    this.time = time;
  }

  @Override
  public long currentTimeMillis() {
    return time.currentTimeMillis();
  }

  @Override
  public long nanoTime() {
    return time.nanoTime();
  }

  @Override
  public void parkNanos(long nanos) {
    time.parkNanos(nanos);
  }

  @Override
  public long random(long bound) {
    return time.random(bound);
  }
}
