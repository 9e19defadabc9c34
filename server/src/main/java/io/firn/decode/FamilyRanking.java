package io.firn.decode;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
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
 *   <li>How widely the family's IDs are seen: two points where they are public, one for Firn's own
 *       default, and four where that ID is less than a year old.
 *   <li>A known namespace: six points for its layout, and four for a worker ID that it leased, two
 *       if the lease that is known is younger than the ID.
 *   <li>An ID from within a day of the epoch is more likely a plain counter: two points less.
 *   <li>The form of the text: most IDs are pasted in decimal, and some families have a form of
 *       their own.
 * </ul>
 */
final class FamilyRanking {

  private static final Duration FIRST_DAY = Duration.ofDays(1);

  /** The sum of 1/1 to 1/n, less the logarithm of n. */
  private static final double EULER_GAMMA = 0.5772;

  private static final Duration RECENT = Duration.ofDays(366);
  private static final int LOW_SEQUENCE_BITS = 4;

  private static final Set<String> PUBLIC = Set.of("twitter", "discord", "instagram", "mastodon");

  /** The first possible time of families that are younger than their epoch. */
  private static final Map<String, Instant> SINCE =
      Map.of(
          "mastodon", Instant.parse("2016-01-01T00:00:00Z"),
          "clickhouse", Instant.parse("2024-05-01T00:00:00Z"));

  private final Instant now;
  private final List<KnownNamespace> known;
  private final Set<IdLayout> layouts;

  FamilyRanking(Instant now, List<KnownNamespace> known) {
    this.now = now;
    this.known = List.copyOf(known);
    layouts = new LinkedHashSet<>(IdLayout.named().values());
    layouts.remove(IdLayout.REGION); // its IDs are those of classic, with the worker in two parts
    known.forEach(namespace -> layouts.add(namespace.layout()));
  }

  /**
   * Returns the readings of that number in all named layouts and those of the known namespaces that
   * it fits, in no order.
   */
  Stream<Reading> of(WrittenNumber number) {
    return layouts.stream()
        .filter(layout -> layout.fits(number.id()))
        .map(layout -> in(layout, number));
  }

  /**
   * Returns the reading of that number in that layout.
   *
   * @throws IllegalArgumentException if it does not fit
   */
  NumberReading in(IdLayout layout, WrittenNumber number) {
    String name = layout.name().orElseGet(layout::toString);
    IdParts parts = layout.parse(number.id());
    Evidence evidence = new Evidence(now).weigh(number.weight());
    evidence.time(parts.instant(), SINCE.getOrDefault(name, layout.epoch()), layout.tick());
    weighNumbers(evidence, layout, parts);
    evidence.add(PUBLIC.contains(name), 2, "its IDs are public");
    boolean firstDay = parts.instant().isBefore(layout.epoch().plus(FIRST_DAY));
    boolean recent = Duration.between(parts.instant(), now).compareTo(RECENT) < 0;
    evidence.add(layout.equals(IdLayout.CLASSIC), recent && !firstDay ? 4 : 1, "Firn's default");
    List<String> namespaces = namespaces(evidence, layout, parts);
    evidence.add(
        number.isFormOf(name), layout.equals(IdLayout.TSID) ? 6 : 2, "written as its IDs are");
    evidence.add(isWorkerZero(layout, parts), 0, "worker 0");
    evidence.add(isSequenceLow(layout, parts), 0, "low sequence");
    evidence.add(firstDay, -2, "within a day of its epoch");
    return new NumberReading(
        number.form(),
        name,
        layout,
        parts,
        namespaces,
        evidence.plausible(),
        evidence.score(),
        evidence.reasons());
  }

  /** Weighs and returns the known namespaces that may have issued an ID. */
  private List<String> namespaces(Evidence evidence, IdLayout layout, IdParts parts) {
    long worker = layout.workerId(parts.datacenter(), parts.worker());
    List<KnownNamespace> sameLayout =
        known.stream().filter(each -> each.issues(layout, parts.instant())).toList();
    List<KnownNamespace> sameWorker =
        sameLayout.stream().filter(namespace -> namespace.workers().containsKey(worker)).toList();
    List<KnownNamespace> heldThen =
        sameWorker.stream()
            .filter(namespace -> namespace.mayHaveHeld(worker, parts.instant()))
            .toList();
    evidence.add(!sameLayout.isEmpty(), 6, "the layout of " + names(sameLayout));
    String held = "worker " + worker + " was held in ";
    evidence.add(!heldThen.isEmpty(), 4, held + names(heldThen));
    evidence.add(
        heldThen.isEmpty() && !sameWorker.isEmpty(),
        2,
        held + names(sameWorker) + " later; who held it before is not known");
    return Stream.of(heldThen, sameWorker, sameLayout)
        .filter(namespaces -> !namespaces.isEmpty())
        .findFirst()
        .orElse(List.of())
        .stream()
        .map(KnownNamespace::name)
        .toList();
  }

  private static String names(List<KnownNamespace> namespaces) {
    return Names.joined(namespaces.stream().map(KnownNamespace::name).toList(), "and");
  }

  /**
   * Returns whether the two split an ID alike, and differ in the epoch or in where they divide
   * workers.
   */
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

  /** Returns the log odds of a number: half evenly spread, half falling with the number. */
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
