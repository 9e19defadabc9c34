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
 * week. The others are ordered by a score, a sum of rough logarithms of odds to base 10:
 *
 * <ul>
 *   <li>Age. People look at young IDs more often than at old ones, and no age stands out: a tenth
 *       of the age is one point. An ID from the future counts one point less.
 *   <li>Who has met the family: two points where IDs are public, one for Firn's own default.
 *   <li>Small numbers. A worker 0 and a low sequence are common in real IDs and rare by chance:
 *       half a point and a quarter.
 *   <li>An ID from within a day of the epoch is more likely a plain counter: two points less.
 * </ul>
 *
 * Families that read the same instant from an ID stand together.
 */
final class FamilyRanking {

  private static final Duration NEXT_WEEK = Duration.ofDays(7);
  private static final Duration FIRST_DAY = Duration.ofDays(1);
  private static final Duration RECENT = Duration.ofDays(366);
  private static final double MIN_AGE_DAYS = 1.0 / (24 * 60);
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
        && one.field(Kind.TIME)
            .map(IdLayout.Field::shift)
            .equals(other.field(Kind.TIME).map(IdLayout.Field::shift))
        && one.field(Kind.SEQUENCE).equals(other.field(Kind.SEQUENCE));
  }

  private boolean isInItsLife(String name, IdLayout layout, Instant instant) {
    return !instant.isBefore(SINCE.getOrDefault(name, layout.epoch()))
        && instant.isBefore(now.plus(NEXT_WEEK));
  }

  private FamilyGuess guess(String name, IdLayout layout, IdParts parts) {
    Evidence evidence = new Evidence();
    weighAge(evidence, parts.instant());
    evidence.add(PUBLIC.contains(name), 2, "its IDs are public");
    evidence.add(layout.equals(IdLayout.CLASSIC), 1, "Firn's default");
    evidence.add(isWorkerZero(layout, parts), 0.5, "worker 0");
    evidence.add(isSequenceLow(layout, parts), 0.25, "low sequence");
    evidence.add(
        parts.instant().isBefore(layout.epoch().plus(FIRST_DAY)),
        -2,
        "within a day of its epoch: rather a plain counter");
    return new FamilyGuess(name, layout, parts, evidence.score, List.copyOf(evidence.reasons));
  }

  private void weighAge(Evidence evidence, Instant instant) {
    Duration age = Duration.between(instant, now);
    evidence.score -= Math.log10(Math.max(MIN_AGE_DAYS, age.abs().toMillis() / 86_400_000.0));
    evidence.add(age.isNegative(), -1, "a little ahead of the clock");
    evidence.add(!age.isNegative() && age.compareTo(RECENT) < 0, 0, "recent");
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
