package io.firn.decode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A score, the logarithm (base 10) of rough odds, and what it rests on. */
final class Evidence {

  private static final Duration NEXT_WEEK = Duration.ofDays(7);
  private static final Duration RECENT = Duration.ofDays(366);
  private static final Duration MIN_AGE = Duration.ofMinutes(1);
  private static final double LOG_2 = Math.log10(2);

  private final Instant now;
  private final List<String> reasons = new ArrayList<>();
  private double score;
  private boolean plausible = true;

  Evidence(Instant now) {
    this.now = now;
  }

  Evidence add(boolean applies, double weight, String reason) {
    if (applies) {
      score += weight;
      reasons.add(reason);
    }
    return this;
  }

  Evidence weigh(double weight) {
    score += weight;
    return this;
  }

  /** Weighs one of 2^{@code bits} equally likely values. */
  Evidence any(int bits) {
    return weigh(-bits * LOG_2);
  }

  /**
   * Weighs a time: people look at young IDs more often than at old ones, and no age stands out, so
   * ten times the age, in ticks, is one point less.
   */
  Evidence time(Instant instant, Instant since, Duration tick) {
    Duration age = Duration.between(instant, now);
    long millis = Math.max(MIN_AGE.toMillis(), age.abs().toMillis());
    weigh(-Math.log10((double) millis / tick.toMillis()));
    boolean tooLate = !instant.isBefore(now.plus(NEXT_WEEK));
    boolean tooEarly = instant.isBefore(since);
    plausible &= !tooLate && !tooEarly;
    add(tooLate, -3, "later than next week");
    add(tooEarly, -3, "before there were any");
    add(age.isNegative() && !tooLate, -1, "a little ahead of the clock");
    return add(!age.isNegative() && age.compareTo(RECENT) < 0, 0, "recent");
  }

  double score() {
    return score;
  }

  boolean plausible() {
    return plausible;
  }

  List<String> reasons() {
    return List.copyOf(reasons);
  }
}
