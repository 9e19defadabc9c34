package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Loss;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

class MutantTest {

  private static final long MOST_SEEDS = 60;

  private static final Map<Mutant, Outcome> FIRST_FAILURES = new EnumMap<>(Mutant.class);

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  /** Without a store that loses writes nobody needs a memory. */
  private static final String WITHOUT_MEMORY = "COUNTED_WITHOUT_MEMORY";

  @ParameterizedTest
  @EnumSource(
      value = Mutant.class,
      names = {"NONE", WITHOUT_MEMORY, Mutant.OF_LOSSES},
      mode = Mode.MATCH_NONE)
  void everyPlantedBugIsFoundWithinSixtySeeds(Mutant mutant) {
    Outcome failed = firstFailure(mutant);
    assertThat(failed.failure())
        .message()
        .containsAnyOf(
            "not granted",
            "set back before",
            "did before",
            "below the watermark",
            "of blocks,",
            "a block",
            "is reserved",
            "not at home");
  }

  @Test
  void aProcessWithoutMemoryDoesNotNoticeAFailover() {
    Outcome failed =
        LongStream.range(0, MOST_SEEDS)
            .mapToObj(
                seed ->
                    Amnesia.run(
                        seed, Subject.SEGMENTS, Loss.ONE_FAILOVER, Mutant.COUNTED_WITHOUT_MEMORY))
            .filter(Outcome::isFailed)
            .findFirst()
            .orElseThrow();
    assertThat(failed.failure()).message().contains("did not notice that orders-");
  }

  /** Every planted bug of these tests; in the small size, every fourth. */
  static Stream<Mutant> shrunk() {
    List<Mutant> all =
        Stream.of(Mutant.values())
            .filter(each -> !each.name().matches("NONE|" + WITHOUT_MEMORY + "|" + Mutant.OF_LOSSES))
            .toList();
    return IntStream.range(0, all.size()).filter(i -> i % Sizes.deep(4, 1) == 0).mapToObj(all::get);
  }

  @ParameterizedTest
  @MethodSource("shrunk")
  void aFailureIsMadeSmallAndFailsStill(Mutant mutant) {
    Settings settings = firstFailure(mutant).settings();
    Settings small = Shrink.of(settings, mutant);
    assertThat(small.scale().faults())
        .as("faults without which the failure is gone")
        .allMatch(
            fault -> !Simulation.run(small.with(small.scale().without(fault)), mutant).isFailed());
    assertThat(small.scale().nodes()).isLessThanOrEqualTo(settings.scale().nodes());
    assertThat(Simulation.run(small, mutant).isFailed()).isTrue();
    assertThat(Simulation.run(small, Mutant.NONE).failure()).isNull();
  }

  private static Outcome firstFailure(Mutant mutant) {
    return FIRST_FAILURES.computeIfAbsent(mutant, MutantTest::search);
  }

  private static Outcome search(Mutant mutant) {
    return FirstSeeds.of(mutant, MOST_SEEDS)
        .mapToObj(seed -> Simulation.run(mutant.settings(Settings.of(seed)), mutant))
        .filter(Outcome::isFailed)
        .findFirst()
        .orElseThrow();
  }
}
