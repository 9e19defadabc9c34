package io.firn;

import java.time.Duration;

/**
 * A snapshot of the counters of a {@link Snowflake}. While other threads draw, the figures may
 * differ by the calls of those threads.
 *
 * @param issued how many IDs were handed out, with those that handles hold in their blocks
 * @param waits how many calls had to wait for the clock
 * @param clockSteps how many times the clock was found behind its latest reading
 * @param lead how far the newest ID is ahead of the clock, zero if it is not
 * @param timeToExpiry how long the layout lasts from now; negative after its end
 */
public record SnowflakeStats(
    long issued, long waits, long clockSteps, Duration lead, Duration timeToExpiry) {

  /** Returns these with the counters of the generator that issued before. */
  SnowflakeStats after(SnowflakeStats before) {
    return new SnowflakeStats(
        issued + before.issued,
        waits + before.waits,
        clockSteps + before.clockSteps,
        lead,
        timeToExpiry);
  }
}
