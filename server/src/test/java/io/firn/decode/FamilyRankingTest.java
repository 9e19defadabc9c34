package io.firn.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.text.IdFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FamilyRankingTest {

  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Instant MASTODON_START = Instant.parse("2016-01-01T00:00:00Z");
  private static final Duration FIRST_MONTH = Duration.ofDays(30);
  private static final int SAMPLES = 2_000;
  private static final long SEED = 20261121;

  static Stream<String> living() {
    return IdLayout.named().keySet().stream()
        .filter(name -> !name.equals("baidu") && !name.equals("region"));
  }

  private static List<Reading> rank(long id) {
    return new Decoder(NOW, IdFormat.DECIMAL, List.of())
        .decode(Long.toUnsignedString(id)).stream().filter(Reading::plausible).toList();
  }

  private static List<String> ranked(long id) {
    return rank(id).stream().map(Reading::type).toList();
  }

  private static List<String> reasons(long id, String name) {
    return rank(id).stream().filter(g -> g.type().equals(name)).findFirst().orElseThrow().reasons();
  }

  private static long at(IdLayout layout, Instant instant) {
    long tick = Duration.between(layout.epoch(), instant).dividedBy(layout.tick());
    return layout.compose(tick, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "175928847299117063, discord, 1",
    "1541815603606036480, twitter, 3",
    "1212092628029698048, twitter, 3",
    "1116766490855473152, leaf, 4",
    "11637205501278089, instagram, 5",
    "109252111498807689, mastodon, 2",
  })
  void hasTheRightFamilyOfRealIdsAmongTheFirst(long id, String family, int within) {
    assertThat(ranked(id).subList(0, within)).contains(family);
  }

  @ParameterizedTest
  @MethodSource("living")
  void hasTheRightFamilyOfANewIdFirst(String name) {
    List<Reading> ranked = rank(at(IdLayout.named().get(name), NOW.minusSeconds(2)));
    Instant first = ranked.get(0).instant().orElseThrow();
    assertThat(ranked)
        .filteredOn(reading -> reading.instant().orElseThrow().equals(first))
        .extracting(Reading::type)
        .contains(name);
  }

  @Test
  void readsARegionAsClassicUnlessItsNamespaceIsKnown() {
    long id = at(IdLayout.REGION, NOW.minusSeconds(2));
    KnownNamespace known = new KnownNamespace("orders", IdLayout.REGION, Map.of());

    assertThat(ranked(id)).contains("classic").doesNotContain("region");
    assertThat(new Decoder(NOW, IdFormat.DECIMAL, List.of(known)).decode(Long.toString(id)).get(0))
        .extracting(Reading::type)
        .isEqualTo("region");
  }

  /** Times evenly over the life of the family, workers below 32, every other sequence low. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "classic",
        "twitter",
        "discord",
        "instagram",
        "mastodon",
        "leaf",
        "sonyflake_v2",
        "yitter",
        "js_safe",
        "game"
      })
  void hasTheRightFamilyOfNearlyAllIdsAmongTheFirstFive(String name) {
    Random random = new Random(SEED);
    int found = 0;
    for (int i = 0; i < SAMPLES; i++) {
      List<String> ranked = ranked(sample(name, random));
      found += ranked.subList(0, Math.min(5, ranked.size())).contains(name) ? 1 : 0;
    }
    assertThat(found).as("seed %d", SEED).isGreaterThan(SAMPLES * 98 / 100);
  }

  private static long sample(String name, Random random) {
    IdLayout layout = IdLayout.named().get(name);
    Instant start = name.equals("mastodon") ? MASTODON_START : layout.epoch().plus(FIRST_MONTH);
    long life = Duration.between(start, NOW).toMillis();
    long sequences = 1L << layout.bits(Kind.SEQUENCE);
    return at(layout, start.plusMillis(random.nextLong(life)))
        | layout.compose(
            0,
            random.nextLong(1L << Math.min(2, layout.bits(Kind.DATACENTER))),
            random.nextLong(1L << Math.min(5, layout.bits(Kind.WORKER))),
            random.nextLong(random.nextBoolean() ? 4 : sequences));
  }

  @ParameterizedTest
  @ValueSource(strings = {"twitter", "sonyflake", "discord", "mastodon", "game"})
  void hasTheLayoutOfAKnownNamespaceFirst(String name) {
    IdLayout layout = IdLayout.named().get(name);
    List<KnownNamespace> known =
        Stream.of("twitter", "sonyflake", "discord", "mastodon", "game")
            .map(own -> new KnownNamespace("my-" + own, IdLayout.named().get(own), Map.of()))
            .toList();
    long id = at(layout, NOW);
    NumberReading first = first(id, known);
    assertThat(first.type()).isEqualTo(name);
    assertThat(first.namespaces()).containsExactly("my-" + name);
    assertThat(first.reasons()).contains("the layout of my-" + name);
    assertThat(first.title()).endsWith(", namespace my-" + name);
  }

  /** A server has up to hundreds of namespaces of one layout. */
  @Test
  void namesThreeOfManyNamespaces() {
    List<KnownNamespace> known =
        IntStream.range(0, 1_200)
            .mapToObj(i -> new KnownNamespace("n" + i, IdLayout.LEAF, Map.of()))
            .toList();
    NumberReading many = first(at(IdLayout.LEAF, NOW), known);
    assertThat(many.title()).endsWith(", namespace n0, n1, n2 or 1,197 others");
    assertThat(many.reasons()).contains("the layout of n0, n1, n2 and 1,197 others");
    assertThat(many.namespaces()).hasSize(1_200);
    NumberReading four = first(at(IdLayout.LEAF, NOW), known.subList(0, 4));
    assertThat(four.title()).endsWith(", namespace n0 or n1 or n2 or n3");
  }

  @Test
  void takesAHeldWorkerForNearProof() {
    long id =
        at(IdLayout.LEAF, NOW.minus(Duration.ofDays(900))) | IdLayout.LEAF.compose(0, 0, 403, 9);
    List<KnownNamespace> known =
        List.of(
            new KnownNamespace("young", IdLayout.COSID, Map.of(404L, Instant.MIN)),
            new KnownNamespace("old", IdLayout.LEAF, Map.of(403L, Instant.MIN)),
            new KnownNamespace("same", IdLayout.LEAF, Map.of(7L, Instant.MIN)));
    assertThat(first(id, known).namespaces()).containsExactly("old");
    assertThat(first(id, known).reasons()).contains("worker 403 was held in old");
    assertThat(first(id, known.subList(2, 3)).namespaces()).containsExactly("same");
  }

  @Test
  void takesNoLeaseForProofThatIsYoungerThanTheId() {
    Instant made = NOW.minus(Duration.ofDays(900));
    long id = at(IdLayout.LEAF, made) | IdLayout.LEAF.compose(0, 0, 403, 9);
    KnownNamespace young =
        new KnownNamespace("young", IdLayout.LEAF, Map.of(403L, made.plusSeconds(1)));
    KnownNamespace old = new KnownNamespace("old", IdLayout.LEAF, Map.of(403L, made));
    assertThat(first(id, List.of(young, old)).namespaces()).containsExactly("old");
    assertThat(first(id, List.of(young, old)).reasons()).contains("worker 403 was held in old");
    assertThat(first(id, List.of(young)).namespaces()).containsExactly("young");
    assertThat(first(id, List.of(young)).reasons())
        .contains("worker 403 was held in young later; who held it before is not known");
    assertThat(first(id, List.of(young)).score()).isLessThan(first(id, List.of(old)).score());
  }

  @Test
  void knowsALayoutWithoutAName() {
    IdLayout own = IdLayout.of("40t+11w+12s@2025-01-01T00:00:00Z/1ms");
    long id = at(own, NOW);
    List<KnownNamespace> known = List.of(new KnownNamespace("orders", own, Map.of()));
    assertThat(first(id, known).type()).isEqualTo(own.toString());
  }

  private static NumberReading first(long id, List<KnownNamespace> known) {
    return (NumberReading) new Decoder(NOW, null, known).decode(Long.toString(id)).get(0);
  }

  @Test
  void leavesOutFamiliesThatTheIdDoesNotFit() {
    assertThat(ranked(at(IdLayout.TWITTER, NOW))).doesNotContain("js_safe", "seata");
  }

  @Test
  void acceptsTimesUntilNextWeekAndNoLater() {
    Instant nextWeek = NOW.plus(Duration.ofDays(7));
    assertThat(ranked(at(IdLayout.CLASSIC, nextWeek.minusMillis(1)))).contains("classic");
    assertThat(ranked(at(IdLayout.CLASSIC, nextWeek))).doesNotContain("classic");
    assertThat(ranked(at(IdLayout.CLASSIC, nextWeek.plusMillis(1)))).doesNotContain("classic");
  }

  @Test
  void leavesOutMastodonBeforeThereWasMastodon() {
    long first = at(IdLayout.MASTODON, MASTODON_START);
    assertThat(ranked(first - 1)).doesNotContain("mastodon");
    assertThat(ranked(first)).contains("mastodon");
  }

  @Test
  void findsNothingPlausibleInTheLargestId() {
    assertThat(rank(-1)).isEmpty();
  }

  @Test
  void keepsFamiliesThatReadTheSameInstantTogether() {
    List<String> ranked = ranked(1116766490855473152L);
    assertThat(ranked.indexOf("leaf")).isEqualTo(ranked.indexOf("twitter") + 1);
  }

  @Test
  void findsLayoutsThatNoIdCanDistinguish() {
    assertThat(Decoder.indistinct(rank(175928847299117063L)))
        .extracting(Reading::type)
        .containsExactlyInAnyOrder("discord", "twitter", "leaf", "tsid", "cosid", "shardingsphere");
  }

  @Test
  void givesItsReasons() {
    assertThat(reasons(1116766490855473152L, "twitter"))
        .containsExactly("its IDs are public", "worker 0", "low sequence");
    assertThat(reasons(at(IdLayout.CLASSIC, NOW.minusSeconds(1)), "classic"))
        .containsExactly("recent", "Firn's default", "worker 0", "low sequence");
    assertThat(reasons(at(IdLayout.CLASSIC, NOW.plusMillis(1)), "classic"))
        .contains("a little ahead of the clock")
        .doesNotContain("recent");
    assertThat(reasons(4194304, "twitter")).contains("within a day of its epoch");
  }

  @ParameterizedTest
  @CsvSource({"15, true", "16, false"})
  void callsASequenceLowBelowSixteen(long sequence, boolean low) {
    long id = at(IdLayout.CLASSIC, NOW) | sequence;
    assertThat(reasons(id, "classic").contains("low sequence")).isEqualTo(low);
  }

  @Test
  void hasNoWorkerZeroWhereThereIsNoWorker() {
    assertThat(reasons(at(IdLayout.MASTODON, NOW), "mastodon")).doesNotContain("worker 0");
  }

  @Test
  void prefersTheYoungerOfTwoReadingsThatAreOtherwiseAlike() {
    List<String> ranked = ranked(175928847299117063L);
    assertThat(ranked.indexOf("discord")).isLessThan(ranked.indexOf("twitter"));
    assertThat(ranked.indexOf("tsid")).isLessThan(ranked.indexOf("shardingsphere"));
  }
}
