package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * No row is committed at or below a watermark that a reader received, and the watermark moves on.
 */
class WatermarkSimulationTest {

  private static final long SEEDS = Long.getLong("firn.simulation.seeds", Sizes.deep(45, 750)) / 3;

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  private static void run(UnaryOperator<Settings> faults) {
    var unused = Seeds.idsOf(SEEDS, seed -> faults.apply(seed.with(Subject.WATERMARK)));
  }

  @Test
  void noRowIsCommittedBelowAWatermark() {
    run(settings -> settings);
  }

  @Test
  void noRowIsCommittedBelowAWatermarkWithMoreFaults() {
    run(Settings::withMore);
  }

  @Test
  void noRowIsCommittedBelowAWatermarkAfterLosses() {
    run(Settings::withLosses);
  }

  /** The store's clock answers late to a process whose own is behind. */
  @Test
  void noRowIsCommittedUnderAFenceWhoseTimeWasReadLongAgo() {
    Settings settings = Settings.of(5_700_461).with(Subject.WATERMARK);
    assertThat(Simulation.runWithLog(settings, Mutant.NONE).log()).doesNotContain("violation");
  }

  @Test
  void rowsAreCommittedAndCovered() {
    String log = Simulation.runWithLog(Settings.of(7).with(Subject.WATERMARK), Mutant.NONE).log();
    assertThat(log).startsWith("watermark seed=7 ").containsPattern("covers \\d{2,} rows and is");
  }
}
