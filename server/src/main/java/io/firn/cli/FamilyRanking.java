package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The families that an ID may be of, most plausible first.
 *
 * <p>An ID does not say which layout it has, and nearly every number is an ID of several. A family
 * is left out if the ID does not fit it, or would be from before the family or from later than next
 * week. The others are ordered by a score, the logarithm (base 10) of rough odds:
 *
 * <ul>
 *   <li>Age. People look at young IDs more often than at old ones, and no age stands out: ten times
 *       the age, in ticks, is one point less. An ID from the future counts another point less.
 *   <li>Small numbers. Datacenters, workers and sequences are often low: half of them are taken to
 *       be any number that fits the field, half to be small, 0 twice as often as 1.
 *   <li>Who has met the family: two points where IDs are public, one for Firn's own default.
 *   <li>An ID from within a day of the epoch is more likely a plain counter: two points less.
 * </ul>
 *
 * Families that read the same instant from an ID stand together.
 */
final class FamilyRanking {

  private static final Duration NEXT_WEEK = Duration.ofDays(7);
  private static final Duration FIRST_DAY = Duration.ofDays(1);
  private static final Duration RECENT = Duration.ofDays(366);
  private static final Duration MIN_AGE = Duration.ofMinutes(1);

  /** The sum of 1/1 to 1/n, less the logarithm of n. */
  private static final double EULER_GAMMA = 0.5772;

  private static final int LOW_SEQUENCE_BITS = 4;

  private static final Set<String> PUBLIC = Set.of("twitter", "discord", "instagram", "mastodon");

  /** Where a family is younger than its epoch. */
  private static final Map<String, Instant> SINCE =
      Map.of("mastodon", Instant.parse("2016-01-01T00:00:00Z"));

  private final Instant now;

  FamilyRanking(Instant now) {
    this.now = now;
  }

  /** The readings of that ID, none if no named layout reads a plausible time. */
  List<FamilyGuess> of(long id) {
    List<FamilyGuess> guesses = new ArrayList<>();
    IdLayout.named()
        .forEach(
            (name, layout) -> {
              if (layout.fits(id) && isInItsLife(name, layout, layout.parse(id).instant())) {
                guesses.add(guess(name, layout, layout.parse(id)));
              }
            });
    guesses.sort(Comparator.comparingDouble(FamilyGuess::score).reversed());
    return togetherByInstant(guesses);
  }

  /**
   * Those of the readings that split an ID as the first one does, and differ from it in the epoch
   * or in where the worker is divided: no ID can tell them apart.
   */
  static List<FamilyGuess> indistinct(List<FamilyGuess> guesses) {
    return guesses.stream()
        .filter(guess -> hasSameBits(guess.layout(), guesses.get(0).layout()))
        .toList();
  }

  private static boolean hasSameBits(IdLayout one, IdLayout other) {
    return one.tick().equals(other.tick())
        && timeShift(one) == timeShift(other)
        && one.field(Kind.SEQUENCE).equals(other.field(Kind.SEQUENCE));
  }

  private static int timeShift(IdLayout layout) {
    return layout.field(Kind.TIME).orElseThrow().shift();
  }

  private boolean isInItsLife(String name, IdLayout layout, Instant instant) {
    return !instant.isBefore(SINCE.getOrDefault(name, layout.epoch()))
        && instant.isBefore(now.plus(NEXT_WEEK));
  }

  private FamilyGuess guess(String name, IdLayout layout, IdParts parts) {
    Evidence evidence = new Evidence();
    weighAge(evidence, parts.instant(), layout.tick());
    weighNumbers(evidence, layout, parts);
    evidence.add(PUBLIC.contains(name), 2, "its IDs are public");
    evidence.add(layout.equals(IdLayout.CLASSIC), 1, "Firn's default");
    evidence.add(isWorkerZero(layout, parts), 0, "worker 0");
    evidence.add(isSequenceLow(layout, parts), 0, "low sequence");
    evidence.add(
        parts.instant().isBefore(layout.epoch().plus(FIRST_DAY)), -2, "within a day of its epoch");
    return new FamilyGuess(name, layout, parts, evidence.score, List.copyOf(evidence.reasons));
  }

  private void weighAge(Evidence evidence, Instant instant, Duration tick) {
    Duration age = Duration.between(instant, now);
    long millis = Math.max(MIN_AGE.toMillis(), age.abs().toMillis());
    evidence.score -= Math.log10((double) millis / tick.toMillis());
    evidence.add(age.isNegative(), -1, "a little ahead of the clock");
    evidence.add(!age.isNegative() && age.compareTo(RECENT) < 0, 0, "recent");
  }

  private static void weighNumbers(Evidence evidence, IdLayout layout, IdParts parts) {
    evidence.score +=
        logOdds(parts.datacenter(), layout.bits(Kind.DATACENTER))
            + logOdds(parts.worker(), layout.bits(Kind.WORKER))
            + logOdds(parts.sequence(), layout.bits(Kind.SEQUENCE));
  }

  /** Half evenly spread over the field, half falling with the number. */
  private static double logOdds(long number, int bits) {
    if (bits == 0) {
      return 0;
    }
    double even = Math.scalb(1.0, -bits);
    double falling = 1 / ((number + 1.0) * (bits * Math.log(2) + EULER_GAMMA));
    return Math.log10((even + falling) / 2);
  }

  private static boolean isWorkerZero(IdLayout layout, IdParts parts) {
    return layout.workers() > 1 && parts.worker() == 0 && parts.datacenter() == 0;
  }

  private static boolean isSequenceLow(IdLayout layout, IdParts parts) {
    return layout.bits(Kind.SEQUENCE) > LOW_SEQUENCE_BITS
        && parts.sequence() >>> LOW_SEQUENCE_BITS == 0;
  }

  private static List<FamilyGuess> togetherByInstant(List<FamilyGuess> guesses) {
    Map<Instant, List<FamilyGuess>> together = new LinkedHashMap<>();
    for (FamilyGuess guess : guesses) {
      together.computeIfAbsent(guess.parts().instant(), instant -> new ArrayList<>()).add(guess);
    }
    return together.values().stream().flatMap(List::stream).toList();
  }

  private static final class Evidence {
    private double score;
    private final List<String> reasons = new ArrayList<>();

    void add(boolean applies, double weight, String reason) {
      if (applies) {
        score += weight;
        reasons.add(reason);
      }
    }
  }
}
