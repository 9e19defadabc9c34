package io.firn.decode;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The families that a 64-bit ID may be of.
 *
 * <p>An ID does not say which layout it has, and nearly every number is an ID of several. A family
 * is implausible if the ID would be from before the family or from later than next week. All are
 * given a score, the logarithm (base 10) of rough odds:
 *
 * <ul>
 *   <li>Age. People look at young IDs more often than at old ones, and no age stands out: ten times
 *       the age, in ticks, is one point less. An ID from the future counts another point less.
 *   <li>Small numbers. Datacenters, workers and sequences are often low: half of them are taken to
 *       be any number that fits the field, half to be small, 0 twice as often as 1.
 *   <li>Who has met the family: two points where IDs are public, one for Firn's own default.
 *   <li>An ID from within a day of the epoch is more likely a plain counter: two points less.
 *   <li>The form of the text: most IDs are pasted in decimal, and some families have a form of
 *       their own.
 * </ul>
 */
final class FamilyRanking {

  private static final Duration FIRST_DAY = Duration.ofDays(1);

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

  /** The readings of that number in all named layouts that it fits, in no order. */
  Stream<Reading> of(WrittenNumber number) {
    return IdLayout.named().entrySet().stream()
        .filter(named -> named.getValue().fits(number.id()))
        .map(named -> in(named.getKey(), named.getValue(), number));
  }

  /**
   * The reading of that number in that layout.
   *
   * @throws IllegalArgumentException if it does not fit
   */
  NumberReading in(String name, IdLayout layout, WrittenNumber number) {
    IdParts parts = layout.parse(number.id());
    Evidence evidence = new Evidence(now).weigh(number.weight());
    evidence.time(parts.instant(), SINCE.getOrDefault(name, layout.epoch()), layout.tick());
    weighNumbers(evidence, layout, parts);
    evidence.add(PUBLIC.contains(name), 2, "its IDs are public");
    evidence.add(layout.equals(IdLayout.CLASSIC), 1, "Firn's default");
    evidence.add(number.isFormOf(name), 2, "written as its IDs are");
    evidence.add(isWorkerZero(layout, parts), 0, "worker 0");
    evidence.add(isSequenceLow(layout, parts), 0, "low sequence");
    evidence.add(
        parts.instant().isBefore(layout.epoch().plus(FIRST_DAY)), -2, "within a day of its epoch");
    return new NumberReading(
        number.form(),
        name,
        layout,
        parts,
        evidence.plausible(),
        evidence.score(),
        evidence.reasons());
  }

  /** Whether the two split an ID alike, and differ in the epoch or in where they divide workers. */
  static boolean areIndistinct(Reading one, Reading other) {
    return one instanceof NumberReading first
        && other instanceof NumberReading second
        && first.form().equals(second.form())
        && hasSameBits(first.layout(), second.layout());
  }

  private static boolean hasSameBits(IdLayout one, IdLayout other) {
    return one.tick().equals(other.tick())
        && timeShift(one) == timeShift(other)
        && one.field(Kind.SEQUENCE).equals(other.field(Kind.SEQUENCE));
  }

  private static int timeShift(IdLayout layout) {
    return layout.field(Kind.TIME).orElseThrow().shift();
  }

  private static void weighNumbers(Evidence evidence, IdLayout layout, IdParts parts) {
    evidence
        .weigh(logOdds(parts.datacenter(), layout.bits(Kind.DATACENTER)))
        .weigh(logOdds(parts.worker(), layout.bits(Kind.WORKER)))
        .weigh(logOdds(parts.sequence(), layout.bits(Kind.SEQUENCE)));
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
}
