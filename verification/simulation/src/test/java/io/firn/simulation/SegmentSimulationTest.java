package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Loss;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SegmentSimulationTest {

  private static final long SEEDS =
      Long.getLong("firn.simulation.seeds", Sizes.deep(60, 3_000)) / 3;
  private static final long FAILOVERS = Sizes.deep(20, 60);

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  private static Settings settings(long seed) {
    return Settings.of(seed).with(Subject.SEGMENTS);
  }

  @Test
  void noSeedIssuesANumberTwiceOrOneThatItWasNotGivenOrNeverAgain() {
    assertThat(Seeds.idsOf(SEEDS, seed -> seed.with(Subject.SEGMENTS))).isGreaterThan(SEEDS * 100);
  }

  @Test
  void noSeedWithMoreFaultsIssuesANumberTwiceThatACopyWasNotGivenBefore() {
    var unused = Seeds.idsOf(SEEDS, seed -> seed.with(Subject.SEGMENTS).withMore());
  }

  @Test
  void theSameSeedGivesTheSameBytes() {
    String log = Simulation.runWithLog(settings(7), Mutant.NONE).log();
    assertThat(Simulation.runWithLog(settings(7), Mutant.NONE).log()).isEqualTo(log);
    assertThat(log).startsWith("segments seed=7 nodes=").doesNotContain("pid", "@");
    assertThat(log.lines().count()).isGreaterThan(100);
  }

  /** A process that is given numbers though a write that it saw was lost fails the run. */
  @ParameterizedTest
  @EnumSource(
      value = Loss.class,
      names = {"ONE_FAILOVER", "FAILOVERS", "ONE_FALL_BACK", "ONE_FLUSH"})
  void everyProcessThatSawWhatWasLostNotices(Loss loss) {
    LongAdder noticed = new LongAdder();
    LongStream.range(0, FAILOVERS)
        .parallel()
        .mapToObj(seed -> Amnesia.run(seed, Subject.SEGMENTS, loss, Mutant.NONE))
        .forEach(
            outcome -> {
              noticed.add(outcome.noticed());
              assertThat(outcome.failure()).as(outcome.settings().command()).isNull();
            });
    assertThat(noticed.sum()).isGreaterThan(FAILOVERS / 2);
  }
}
