package io.firn.server;

import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit of events per second. Thread-safe.
 *
 * <p>One number enforces the rate: the moment until which events are paid for. Each event moves it
 * forward by the time between two events at that rate. It may be at most one second ahead of the
 * clock, so a burst is at most one second's worth of events.
 */
final class Rate {

  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private final TimeSource time;
  private final AtomicLong paidUntil;

  Rate(int perSecond, TimeSource time) {
    this.perSecond = perSecond;
    this.time = time;
    paidUntil = new AtomicLong(time.nanoTime());
  }

  /** Takes events, and returns whether the rate permits them; if not, nothing is taken. */
  boolean take(int count) {
    long price = BURST_NANOS * count / perSecond;
    while (true) {
      long now = time.nanoTime();
      long paid = paidUntil.get();
      long from = paid - now < 0 ? now : paid;
      if (from + price - now > BURST_NANOS) {
        return false;
      }
      if (paidUntil.compareAndSet(paid, from + price)) {
        return true;
      }
    }
  }
}
