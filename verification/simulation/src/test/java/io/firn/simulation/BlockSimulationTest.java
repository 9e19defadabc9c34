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
 * No block has times of another block or of a generator; a name has the same block for ever, or is
 * refused.
 */
class BlockSimulationTest {

  private static final long SEEDS =
      Long.getLong("firn.simulation.seeds", Sizes.deep(60, 1_500)) / 3;

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  private static void run(UnaryOperator<Settings> faults) {
    var unused = Seeds.idsOf(SEEDS, seed -> faults.apply(seed.with(Subject.BLOCKS)));
  }

  @Test
  void noBlockHasTimesOfAnotherOrOfAGenerator() {
    run(settings -> settings);
  }

  @Test
  void noBlockHasTimesOfAnotherOrOfAGeneratorWithMoreFaults() {
    run(Settings::withMore);
  }

  /** The store is set back, flushed and promoted; names are refused there. */
  @Test
  void noBlockHasTimesOfAnotherOrOfAGeneratorAfterLosses() {
    run(Settings::withLosses);
  }

  @Test
  void blocksAreTakenOpenedRefusedAndForgotten() {
    assertThat(
            Seeds.logs(
                20,
                seed -> Settings.of(seed).with(Subject.BLOCKS),
                " takes ",
                " opens page 1 of part 2 of load-1 in 3",
                " has no block: BlockShapeException",
                " forgets daily",
                "there are \\d{2,} blocks, of \\d{2,} rows"))
        .startsWith("blocks seed=0 ");
  }

  @Test
  void blocksAreTakenInAStoreThatLosesWhatItAcknowledged() {
    StringBuilder logs = new StringBuilder();
    for (long seed = 0; seed < Sizes.deep(5, 20); seed++) {
      Settings settings = Settings.of(seed).with(Subject.BLOCKS).withLosses();
      logs.append(Simulation.runWithLog(settings, Mutant.NONE).log());
    }
    assertThat(logs).contains(" takes ").doesNotContain(" opens page ");
  }
}
