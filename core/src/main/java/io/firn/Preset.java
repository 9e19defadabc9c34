package io.firn;

import java.time.Duration;

/**
 * How a well-known generator treats its clock and its sequence, as settings of {@link Snowflake}.
 * The bits are not part of it: see {@link IdLayout}.
 *
 * @param maxLead how far IDs may run ahead of the clock
 * @param maxWait how long a caller waits for a clock that stepped back
 * @param sequenceStart which sequence number each tick starts with
 */
public record Preset(Duration maxLead, Duration maxWait, SequenceStart sequenceStart) {

  /** Twitter's Snowflake: a clock that stepped back is an error at once. */
  public static final Preset TWITTER = new Preset(Duration.ZERO, Duration.ZERO, SequenceStart.ZERO);

  /** Leaf: waits for a clock that stepped back by up to 5 ms, and starts ticks at 0..99. */
  public static final Preset LEAF =
      new Preset(Duration.ZERO, Duration.ofMillis(5), SequenceStart.random(100));

  /**
   * ShardingSphere's {@code SNOWFLAKE}.
   *
   * @param tolerance its {@code max-tolerate-time-difference-milliseconds} (10 by default)
   * @param maxVibrationOffset its {@code max-vibration-offset} (1 by default)
   */
  public static Preset shardingSphere(Duration tolerance, long maxVibrationOffset) {
    if (maxVibrationOffset < 0 || maxVibrationOffset == Long.MAX_VALUE) {
      throw new IllegalArgumentException(
          "maxVibrationOffset: " + maxVibrationOffset + " (expected: at least 0)");
    }
    return new Preset(Duration.ZERO, tolerance, SequenceStart.rotating(maxVibrationOffset + 1));
  }

  /**
   * Baidu's cached UidGenerator: bursts borrow ticks from the future, and a clock that stepped back
   * is an error once the lead is used up. Its own lead has no bound; here it has one.
   */
  public static Preset baidu(Duration maxLead) {
    return new Preset(maxLead, Duration.ZERO, SequenceStart.ZERO);
  }
}
