package io.firn;

import io.firn.IdLayout.Kind;
import io.firn.internal.Require;
import io.firn.lease.Lease;
import io.firn.lease.LeaseConfig;
import io.firn.time.DurationText;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Checks that the settings of a {@link Snowflake} fit its layout, its lease and the clock. */
final class SnowflakeChecks {

  /** A window loses up to two ticks at its ends, and is renewed at half of the rest. */
  private static final int MIN_TICKS_PER_WINDOW = 8;

  private static final Duration TEN_YEARS = Duration.ofDays(3652);

  private final IdLayout layout;
  private final ClockPolicy policy;

  /** Checks the settings that need neither a clock nor a lease. */
  SnowflakeChecks(IdLayout layout, ClockPolicy policy) {
    this.layout = layout;
    this.policy = policy;
    checkStart(policy.sequenceStart(), layout.bits(Kind.SEQUENCE));
    checkOrder();
  }

  void checkLease(LeaseConfig lease) {
    Lease.checkFits(lease, layout);
    long window = lease.windowMillis();
    if (window / MIN_TICKS_PER_WINDOW < layout.tickMillis()) {
      throw new IllegalArgumentException(
          "window: "
              + text(window)
              + " (expected: at least "
              + MIN_TICKS_PER_WINDOW
              + " ticks of "
              + text(layout.tickMillis())
              + ")");
    }
    if (policy.maxLead().toMillis() > window / 2) {
      throw new IllegalArgumentException(
          "maxLead: "
              + DurationText.write(policy.maxLead())
              + " (expected: at most half the lease's window of "
              + text(window)
              + ")");
    }
  }

  private static String text(long millis) {
    return DurationText.write(Duration.ofMillis(millis));
  }

  /** Checks the settings of a generator that switches to this layout. */
  void checkAsNext(LeaseConfig lease, IdLayout current) {
    if (layout.equals(current)) {
      throw new IllegalArgumentException(
          "nextLayout: " + layout + " (expected: another one than the layout)");
    }
    checkLease(lease);
  }

  boolean hasEnded(long nowMillis) {
    return !Instant.ofEpochMilli(nowMillis).isBefore(layout.positiveUntil());
  }

  static void checkUnset(String name, @Nullable Long value, String lease) {
    if (value != null) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: not set beside a lease, which may be " + lease + ")");
    }
  }

  static void checkBesideClockPolicy(String name, @Nullable Object value) {
    if (value != null) {
      throw new IllegalArgumentException(
          name
              + ": "
              + (value instanceof Duration time ? DurationText.write(time) : value)
              + " (expected: not set beside clockPolicy)");
    }
  }

  private static void checkStart(SequenceStart start, int sequenceBits) {
    if (start.bound() > 1L << sequenceBits) {
      throw new IllegalArgumentException(
          "sequenceStart: "
              + start
              + " (expected: a bound in 1.."
              + (1L << sequenceBits)
              + ", the layout has "
              + sequenceBits
              + " sequence bits)");
    }
  }

  static long required(IdLayout layout, Kind kind, @Nullable Long value) {
    if (value != null) {
      if (kind == Kind.DATACENTER) {
        Lease.checkDatacenter(value, layout);
      }
      return layout.place(kind, value);
    }
    layout
        .field(kind)
        .ifPresent(
            field -> {
              throw new IllegalArgumentException(
                  kind.label()
                      + ": not set (expected: 0.."
                      + field.max()
                      + ", it is never guessed)");
            });
    return 0;
  }

  private void checkOrder() {
    if (layout.shift(Kind.SEQUENCE) > layout.shift(Kind.TIME)) {
      throw new IllegalArgumentException(
          "layout: " + layout + " (expected: time above the sequence, or IDs would not grow)");
    }
  }

  /**
   * Checks that the layout does not end soon.
   *
   * @param name of the setting that it is
   */
  void checkEnd(String name, long nowMillis, boolean allowUnderTenYears) {
    Duration maxLead = policy.maxLead();
    Instant now = Instant.ofEpochMilli(nowMillis);
    Instant end = layout.positiveUntil();
    Require.notEnded(name, layout, end, now);
    if (!now.plus(maxLead).isBefore(end)) {
      throw new IllegalArgumentException(
          "maxLead: "
              + DurationText.write(maxLead)
              + " (expected: less than the layout has left, it ends on "
              + end
              + ")");
    }
    if (!allowUnderTenYears && end.isBefore(now.plus(TEN_YEARS))) {
      throw new IllegalArgumentException(
          name
              + ": "
              + layout
              + " (expected: ten years left or allowUnderTenYears(), it ends on "
              + end
              + ")");
    }
  }
}
