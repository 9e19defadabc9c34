package io.firn;

import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;

/** A manual clock with something that happens while a call parks or reads it. */
public final class Clocks implements TimeSource {

  private final ManualTimeSource clock;
  private Runnable onPark = () -> {};
  private Runnable onRead = () -> {};

  public Clocks(ManualTimeSource clock) {
    this.clock = clock;
  }

  public Clocks onPark(Runnable action) {
    onPark = action;
    return this;
  }

  public Clocks onRead(Runnable action) {
    onRead = action;
    return this;
  }

  public void step(long millis) {
    clock.step(Duration.ofMillis(millis));
  }

  @Override
  public long currentTimeMillis() {
    long now = clock.currentTimeMillis();
    onRead.run();
    return now;
  }

  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  @Override
  public void parkNanos(long nanos) {
    onPark.run();
    clock.parkNanos(nanos);
  }

  @Override
  public long random(long bound) {
    return clock.random(bound);
  }
}
