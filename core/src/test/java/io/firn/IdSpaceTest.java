package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.IdLayout.Kind;
import io.firn.testkit.Sizes;
import io.firn.testkit.Trials;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IdSpaceTest {

  private static final int MAX_BITS = 9;
  private static final List<IdLayout> SMALL = SmallLayouts.all(MAX_BITS);
  private static final Instant EPOCH = SmallLayouts.EPOCH;

  private record Pair(IdSpace a, IdSpace b, BitSet idsOfA, BitSet idsOfB) {
    @Override
    public String toString() {
      return text(a) + " " + idsOfA + " and " + text(b) + " " + idsOfB;
    }

    private static String text(IdSpace space) {
      return space.layout() + " workers " + space.workers();
    }
  }

  private static IdSpace space(String layout, String workers) {
    return IdSpace.of(IdLayout.of(layout)).withWorkers(WorkerSet.of(workers));
  }

  private static Instant day(String day) {
    return Instant.parse(day + "T00:00:00Z");
  }

  @Test
  void agreesWithBruteForceOnSmallLayouts() {
    int[] outcomes = new int[2];
    Trials.check(
        "a common ID",
        Sizes.deep(8_000, 100_000),
        IdSpaceTest::pair,
        pair -> {
          OptionalLong common = pair.a().common(pair.b());
          assertThat(common.isPresent()).isEqualTo(pair.idsOfA().intersects(pair.idsOfB()));
          assertThat(pair.b().common(pair.a()).isPresent()).isEqualTo(common.isPresent());
          if (common.isPresent()) {
            int id = (int) common.getAsLong();
            assertThat(pair.idsOfA().get(id) && pair.idsOfB().get(id)).isTrue();
            assertThat(pair.a().contains(id) && pair.b().contains(id)).isTrue();
          }
          outcomes[common.isPresent() ? 1 : 0]++;
        });
    assertThat(outcomes[0]).isGreaterThan(1_000);
    assertThat(outcomes[1]).isGreaterThan(1_000);
  }

  /** Two spaces, and their IDs as the parts of each number say. */
  private static Pair pair(RandomGenerator random) {
    BitSet idsOfA = new BitSet();
    BitSet idsOfB = new BitSet();
    return new Pair(space(random, idsOfA), space(random, idsOfB), idsOfA, idsOfB);
  }

  private static IdSpace space(RandomGenerator random, BitSet ids) {
    Duration tick = Duration.ofMillis(1 + random.nextInt(3));
    IdLayout small = SMALL.get(random.nextInt(SMALL.size()));
    IdLayout.Builder builder = IdLayout.builder().epoch(EPOCH).tick(tick);
    small.fields().forEach(field -> builder.field(field.kind(), field.bits()));
    IdLayout layout = builder.build();

    BitSet workers = new BitSet();
    int kept = 1 + random.nextInt(4);
    for (int worker = 0; worker < layout.workers(); worker++) {
      workers.set(worker, random.nextInt(4) < kept);
    }
    workers.set(random.nextInt((int) layout.workers()));

    int ticks = 1 << layout.bits(Kind.TIME);
    int end = ticks * (int) tick.toMillis();
    int from = random.nextInt(end + 2) - 1;
    int until = random.nextInt(end + 2) - 1;
    for (int id = 0; id < 1 << layout.totalBits(); id++) {
      IdParts parts = layout.parse(id);
      long begin = parts.tick() * tick.toMillis();
      boolean inTime = begin + tick.toMillis() > from && begin < until;
      int worker = (int) layout.workerId(parts.datacenter(), parts.worker());
      ids.set(id, inTime && workers.get(worker));
    }
    return IdSpace.of(layout)
        .withWorkers(WorkerSet.of(workers.stream().asLongStream()))
        .from(EPOCH.plusMillis(from))
        .until(EPOCH.plusMillis(until));
  }

  @Test
  void findsThatLeafAndClassicMeetInTimesOfTheirOwn() {
    IdSpace leaf = IdSpace.of(IdLayout.LEAF);
    IdSpace classic = IdSpace.of(IdLayout.CLASSIC);
    assertThat(leaf.common(classic)).hasValue(0);

    IdSpace leafSince2010 = leaf.from(day("2012-01-01")).until(day("2030-01-01"));
    assertThat(leafSince2010.common(classic.until(day("2027-01-01")))).isEmpty();
    // Numbers of Leaf's first fifteen years come again in classic's.
    OptionalLong common = leafSince2010.common(classic.until(day("2028-01-01")));
    assertThat(IdLayout.LEAF.parse(common.orElseThrow()).instant())
        .isAfterOrEqualTo(day("2012-01-01"));
    assertThat(IdLayout.CLASSIC.parse(common.orElseThrow()).instant()).isBefore(day("2028-01-01"));
    assertThat(leaf.withWorkers(WorkerSet.of("0-9")).common(space("classic", "10-1023"))).isEmpty();
  }

  @Test
  void findsThatTwitterAndDiscordMeetThoughTheirTimeDiffersByABit() {
    IdSpace twitter = IdSpace.of(IdLayout.TWITTER).from(day("2026-01-01"));
    IdSpace discord = IdSpace.of(IdLayout.DISCORD).from(day("2026-01-01"));
    OptionalLong common = twitter.common(discord);
    assertThat(twitter.contains(common.orElseThrow())).isTrue();
    assertThat(discord.contains(common.orElseThrow())).isTrue();
    assertThat(twitter.until(day("2027-01-01")).common(discord.until(day("2027-01-01")))).isEmpty();
    assertThat(space("twitter", "0-511").common(space("discord", "512-1023"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,2,false", "0-99,100-199,false", "1-5,5-9,true"})
  void tellsGameServersApartByTheirWorkers(String one, String another, boolean common) {
    assertThat(space("game", one).common(space("game", another)).isPresent()).isEqualTo(common);
  }

  @Test
  void comparesWorkersOfDifferentWidths() {
    IdSpace wide = space("41t+8w+14s@2026-01-01T00:00:00Z/1ms", "128-255");
    assertThat(space("classic", "0-511").common(wide)).isEmpty();
    assertThat(space("classic", "0-512").common(wide)).hasValue(2_097_152);
  }

  @Test
  void isExactForUnsignedLayouts() {
    IdSpace late = IdSpace.of(IdLayout.DISCORD).from(day("2090-01-01"));
    OptionalLong common = late.common(IdSpace.of(IdLayout.INSTAGRAM));
    assertThat(common.orElseThrow()).isNegative();
    assertThat(late.contains(common.orElseThrow())).isTrue();
    assertThat(late.common(IdSpace.of(IdLayout.CLASSIC))).isEmpty();
  }

  @Test
  void isEmptyOutsideTheTimesOfItsLayout() {
    IdSpace classic = IdSpace.of(IdLayout.CLASSIC);
    assertThat(classic.isEmpty()).isFalse();
    assertThat(classic.until(IdLayout.CLASSIC.epoch()).isEmpty()).isTrue();
    assertThat(classic.until(IdLayout.CLASSIC.epoch().plusNanos(1)).common(classic)).hasValue(0);
    assertThat(classic.from(IdLayout.CLASSIC.expiresAt()).isEmpty()).isTrue();
    assertThat(classic.from(IdLayout.CLASSIC.expiresAt().minusNanos(1)).isEmpty()).isFalse();
    assertThat(classic.from(day("2030-01-01")).until(day("2029-01-01")).common(classic)).isEmpty();
    assertThat(classic.from(Instant.MIN).until(Instant.MAX).common(classic)).hasValue(0);
  }

  @Test
  void refusesWorkersThatTheLayoutDoesNotHave() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> space("classic", "1024"))
        .withMessageStartingWith("workers: 1024 (expected: within 0-1023");
  }
}
