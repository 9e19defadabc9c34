package io.firn;

import io.firn.internal.Require;
import io.firn.time.DurationText;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The clock and sequence settings of a well-known generator, for {@link Snowflake}. The bits are
 * not part of it: see {@link IdLayout}.
 *
 * @param maxLead how far IDs may run ahead of the clock
 * @param maxWait how long a caller waits for a clock that stepped back
 * @param sequenceStart which sequence number each tick starts with
 */
public record ClockPolicy(Duration maxLead, Duration maxWait, SequenceStart sequenceStart) {

  private static final Pattern FORM =
      Pattern.compile(
          "(twitter|leaf)|shardingsphere\\(([0-9a-z]+),([0-9]{1,9})\\)|baidu\\(([0-9a-z]+)\\)");

  private static final Duration MAX = Duration.ofDays(365);

  /** Twitter's Snowflake: a clock that stepped back is an error at once. */
  public static final ClockPolicy TWITTER =
      new ClockPolicy(Duration.ZERO, Duration.ZERO, SequenceStart.ZERO);

  /** Leaf: waits for a clock that stepped back by up to 5 ms, and starts ticks at 0..99. */
  public static final ClockPolicy LEAF =
      new ClockPolicy(Duration.ZERO, Duration.ofMillis(5), SequenceStart.random(100));

  /**
   * Checks the durations.
   *
   * @throws IllegalArgumentException if one is not 0..365 days in whole milliseconds
   */
  public ClockPolicy {
    checked("maxLead", maxLead);
    checked("maxWait", maxWait);
  }

  static Duration checked(String name, Duration value) {
    return Require.inRange(name, Duration.ZERO, MAX, value);
  }

  /**
   * Returns the policy of ShardingSphere's {@code SNOWFLAKE}.
   *
   * @param tolerance its {@code max-tolerate-time-difference-milliseconds} (10 by default)
   * @param maxVibrationOffset its {@code max-vibration-offset} (1 by default), 0..2^63-2
   */
  public static ClockPolicy shardingSphere(Duration tolerance, long maxVibrationOffset) {
    long offset = Require.inRange("maxVibrationOffset", 0, Long.MAX_VALUE - 1, maxVibrationOffset);
    return new ClockPolicy(Duration.ZERO, tolerance, SequenceStart.rotating(offset + 1));
  }

  /**
   * Returns the policy of Baidu's cached UidGenerator: bursts borrow ticks from the future, and a
   * clock that stepped back is an error once the lead is used up. Its own lead has no bound; here
   * it has one.
   */
  public static ClockPolicy baidu(Duration maxLead) {
    return new ClockPolicy(maxLead, Duration.ZERO, SequenceStart.ZERO);
  }

  /**
   * Returns the policy of a name, in any case: {@code twitter}, {@code leaf}, {@code
   * shardingsphere(10ms,1)} with its tolerance and maximum vibration offset, or {@code baidu(1s)}
   * with its lead.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static ClockPolicy of(String text) {
    Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw refused(text);
    }
    if (form.group(1) != null) {
      return form.group(1).equals("leaf") ? LEAF : TWITTER;
    }
    return form.group(2) != null
        ? shardingSphere(time(text, form.group(2)), Long.parseLong(form.group(3)))
        : baidu(time(text, form.group(4)));
  }

  /** Returns what {@link #of} reads; the three parts of a policy that it has no name for. */
  @Override
  public String toString() {
    if (equals(TWITTER)) {
      return "twitter";
    }
    if (equals(LEAF)) {
      return "leaf";
    }
    if (maxLead.isZero() && sequenceStart.rotates()) {
      return "shardingsphere("
          + DurationText.write(maxWait)
          + ","
          + (sequenceStart.bound() - 1)
          + ")";
    }
    if (maxWait.isZero() && sequenceStart.equals(SequenceStart.ZERO)) {
      return "baidu(" + DurationText.write(maxLead) + ")";
    }
    return "maxLead="
        + DurationText.write(maxLead)
        + ",maxWait="
        + DurationText.write(maxWait)
        + ",sequenceStart="
        + sequenceStart;
  }

  private static Duration time(String policy, String text) {
    return DurationText.parse(text).orElseThrow(() -> refused(policy));
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "clockPolicy: "
            + text
            + " (expected: twitter, leaf, shardingsphere(10ms,1) or baidu(1s), numbers below"
            + " 10^9)");
  }
}
