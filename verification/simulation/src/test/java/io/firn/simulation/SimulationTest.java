package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Settings;
import io.firn.testkit.Sizes;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {

  private static final long SEEDS = Long.getLong("firn.simulation.seeds", Sizes.deep(60, 3_000));

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  @Test
  void noSeedIssuesAnIdTwiceOrOutsideItsWindowOrNeverAgain() {
    long begin = System.nanoTime();
    long ids = Seeds.idsOf(SEEDS, UnaryOperator.identity());
    System.getLogger("simulation")
        .log(
            System.Logger.Level.INFO,
            SEEDS
                + " seeds, "
                + ids
                + " IDs, "
                + Simulate.perSecond(SEEDS, System.nanoTime() - begin)
                + " seeds a second");
    assertThat(ids).isGreaterThan(SEEDS * 100);
  }

  @Test
  void aStoreThatShowsBeforeItKeepsGivesNoIdTwice() {
    var unused = Seeds.idsOf(SEEDS / 4, seed -> seed.with(Fault.UNKEPT_WRITE));
  }

  /**
   * Copies of processes too, and stores that hang, throw an Error, or show what they do not keep.
   */
  @Test
  void noSeedWithMoreFaultsIssuesAnIdTwiceThatACopyWasNotGrantedBefore() {
    var unused = Seeds.idsOf(SEEDS / 2, Settings::withMore);
  }

  @Test
  void aCopyIsMadeOfARunningProcess() {
    String log = Simulation.runWithLog(Settings.of(7).with(Fault.COPY), Mutant.NONE).log();
    assertThat(log).contains(" is a copy of ");
  }

  @Test
  void aCopyIsMadeInTheMiddleOfACallToo() {
    assertThat(
            LongStream.range(0, 20)
                .mapToObj(seed -> Settings.of(seed).with(Fault.LOST_REPLY).with(Fault.COPY))
                .map(settings -> Simulation.runWithLog(settings, Mutant.NONE).log()))
        .anyMatch(log -> log.contains(" in the middle of a call"));
  }

  /** Each of these failed once, with an older version of the code or of the simulator. */
  @ParameterizedTest
  @ValueSource(longs = {1, 84, 648, 703, 1543, 1847, 2237, 3688, 4819, 11227})
  void seedsThatFailedOnceDoNotFailAgain(long seed) {
    assertThat(Simulation.run(Settings.of(seed), Mutant.NONE).failure()).isNull();
  }

  /** Calls waited for a day, or windows were judged that nobody was told of. */
  @ParameterizedTest
  @ValueSource(longs = {87, 682, 1102, 6240})
  void seedsThatFailedOnceWithMoreFaultsDoNotFailAgain(long seed) {
    assertThat(Simulation.run(Settings.of(seed).withMore(), Mutant.NONE).failure()).isNull();
  }

  @Test
  void theSameSeedGivesTheSameBytesWhateverTheLocaleAndTheZone() {
    String log = log(7);
    Locale locale = Locale.getDefault();
    TimeZone zone = TimeZone.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
      assertThat(log(7)).isEqualTo(log);
    } finally {
      Locale.setDefault(locale);
      TimeZone.setDefault(zone);
    }
    assertThat(log).startsWith("seed=7 nodes=");
    assertThat(log.lines().count()).isGreaterThan(100);
  }

  @Test
  void aLogThatIsNotKeptChangesNothing() {
    Settings settings = Settings.of(7);
    Outcome loud = Simulation.runWithLog(settings, Mutant.NONE);
    Outcome silent = Simulation.run(settings, Mutant.NONE);
    assertThat(silent.events()).isEqualTo(loud.events());
    assertThat(silent.ids()).isEqualTo(loud.ids());
  }

  @Test
  void logDependsOnTheSeedOnly() {
    assertThat(log(7)).doesNotContain("pid", "process", "@");
  }

  private static String log(long seed) {
    return Simulation.runWithLog(Settings.of(seed), Mutant.NONE).log();
  }
}
