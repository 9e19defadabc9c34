package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A store that loses what it acknowledged and has an identity. */
class LossesTest {

  private static final long SEEDS = Long.getLong("firn.simulation.losses", Sizes.deep(40, 1_000));

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  @Test
  void noSeedGrantsAWindowTwiceOrIssuesAnIdTwice() {
    assertThat(Seeds.idsOf(SEEDS, Settings::withLosses)).isGreaterThan(SEEDS * 100);
  }

  /** A counter refuses until an operator raises it, so no number is given twice. */
  @Test
  void noSeedGivesANumberTwice() {
    assertThat(Seeds.idsOf(SEEDS, seed -> seed.withLosses().with(Subject.SEGMENTS)))
        .isGreaterThan(SEEDS * 100);
  }

  @ParameterizedTest
  @EnumSource(
      value = Subject.class,
      names = {"LEASES", "SEGMENTS", "BLOCKS", "WATERMARK", "RESERVATIONS"})
  void storesThatLoseWritesAndFailInMoreWaysBreakNothing(Subject subject) {
    var unused = Seeds.idsOf(SEEDS / 4, seed -> seed.withLosses().with(subject).withMore());
  }

  @Test
  void runLosesTheStoreInEveryWay() {
    var unused =
        Seeds.logs(
            20,
            seed -> Settings.of(seed).withLosses(),
            "the store is now run-3",
            "the store goes back to change",
            "the store forgets",
            "the store goes on as run-");
  }

  /** The bounds are exact here, so a bound that is a little too small is found by few seeds. */
  @ParameterizedTest
  @EnumSource(value = Mutant.class, names = Mutant.OF_LOSSES, mode = Mode.MATCH_ANY)
  void everyPlantedBugIsFoundWithinFiveThousandSeeds(Mutant mutant) {
    assertThat(
            FirstSeeds.of(mutant, 5_000)
                .mapToObj(seed -> mutant.settingsOfLosses(Settings.of(seed)))
                .anyMatch(settings -> Simulation.run(settings, mutant).isFailed()))
        .isTrue();
  }
}
