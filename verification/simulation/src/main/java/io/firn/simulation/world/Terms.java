package io.firn.simulation.world;

import io.firn.IdLayout;
import java.time.Duration;
import java.time.Instant;

/**
 * The settings that all processes of a run share.
 *
 * @param workerBits the width of the worker field
 * @param sequenceBits the width of the sequence field
 * @param tickMillis the layout's tick
 * @param windowMillis the length of a lease's window
 * @param leadMillis how far IDs may run ahead of the clock
 * @param waitMillis how long a call may wait
 * @param skewMillis how far clocks may be apart when a lease is asked for
 * @param storeClock whether the store has a clock
 * @param pinned whether each generator insists on one worker ID
 * @param youngEpoch whether the layout's epoch is an hour ago, so that a clock can be before it
 */
public record Terms(
    int workerBits,
    int sequenceBits,
    long tickMillis,
    long windowMillis,
    long leadMillis,
    long waitMillis,
    long skewMillis,
    boolean storeClock,
    boolean pinned,
    boolean youngEpoch) {

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant YOUNG_EPOCH =
      Instant.ofEpochMilli(Settings.START_MILLIS - 3_600_000);
  private static final int TIME_BITS = 41;
  private static final long MIN_TICKS_TO_FORGET = 1_000;

  public IdLayout layout() {
    return layout(IdLayout.builder().time(TIME_BITS));
  }

  /** Returns the same with two datacenters, each with all of these workers. */
  public IdLayout layoutOfRegions() {
    return layout(IdLayout.builder().time(TIME_BITS).datacenter(1));
  }

  private IdLayout layout(IdLayout.Builder begun) {
    return begun
        .worker(workerBits)
        .sequence(sequenceBits)
        .epoch(youngEpoch ? YOUNG_EPOCH : EPOCH)
        .tick(Duration.ofMillis(tickMillis))
        .build();
  }

  /**
   * Returns the same for a store that may forget: it has a clock, and windows are long against what
   * calls take.
   */
  public Terms forgetful() {
    long window = Math.max(windowMillis, MIN_TICKS_TO_FORGET * tickMillis);
    return new Terms(
        workerBits,
        sequenceBits,
        tickMillis,
        window,
        leadMillis,
        waitMillis,
        window / 6,
        true,
        pinned,
        false);
  }

  /** Returns the same with an upper half of workers that no generator insists on. */
  Terms withTwiceTheWorkers() {
    return new Terms(
        workerBits + 1,
        sequenceBits,
        tickMillis,
        windowMillis,
        leadMillis,
        waitMillis,
        skewMillis,
        storeClock,
        pinned,
        youngEpoch);
  }

  long workers() {
    return 1L << workerBits;
  }

  public long windowNanos() {
    return windowMillis * World.NANOS_PER_MILLI;
  }
}
