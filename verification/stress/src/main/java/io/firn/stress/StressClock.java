package io.firn.stress;

import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A clock that is stopped, or goes on a millisecond at every reading; parking lets it continue. */
final class StressClock implements TimeSource {

  /** Two sequence bits: a tick is full after four IDs. */
  static final IdLayout NARROW = IdLayout.of("41t+10w+2s@2026-01-01T00:00:00Z/1ms");

  private static final long START_MILLIS = NARROW.epoch().plus(Duration.ofDays(365)).toEpochMilli();

  private final AtomicLong millis = new AtomicLong(START_MILLIS);
  private final long millisPerReading;
  private volatile @Nullable Thread interrupted;

  private StressClock(long millisPerReading) {
    this.millisPerReading = millisPerReading;
  }

  static StressClock still() {
    return new StressClock(0);
  }

  static StressClock moving() {
    return new StressClock(1);
  }

  /** A generator on this clock, which then moves on to the generator's first tick. */
  Snowflake generator(IdLayout layout, long maxLeadMillis) {
    Snowflake generator =
        Snowflake.builder()
            .layout(layout)
            .worker(1)
            .maxLead(Duration.ofMillis(maxLeadMillis))
            .sequenceStart(SequenceStart.ZERO)
            .allowUnderTenYears()
            .timeSource(this)
            .build();
    millis.addAndGet(1 + maxLeadMillis);
    return generator;
  }

  @Override
  public long currentTimeMillis() {
    return millisPerReading == 0 ? millis.get() : millis.addAndGet(millisPerReading);
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  /** From now on, that thread is interrupted when it parks, and the clock does not go on. */
  void interruptsInPark(@Nullable Thread thread) {
    interrupted = thread;
  }

  @Override
  public void parkNanos(long nanos) {
    if (Thread.currentThread().equals(interrupted)) {
      Thread.currentThread().interrupt();
    } else {
      millis.incrementAndGet();
    }
  }

  @Override
  public long random(long bound) {
    return 0;
  }
}
