package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A successor that goes on with the rest of a window issues no ID twice, nor does a copy of it. */
class CarryOverSimulationTest {

  private static final long SEEDS =
      Long.getLong("firn.simulation.seeds", Sizes.deep(60, 1_500)) / 3;

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  /** Processes are closed and started again while the store is down. */
  private static Settings restarts(Settings seed) {
    return seed.with(Subject.CARRY_OVER).with(Fault.CLOSE).with(Fault.OUTAGE).with(Fault.PARTITION);
  }

  private static void run(UnaryOperator<Settings> faults) {
    var unused = Seeds.idsOf(SEEDS, seed -> faults.apply(restarts(seed)));
  }

  @Test
  void theRestOfAWindowIsUsedOnce() {
    run(settings -> settings);
  }

  @Test
  void theRestOfAWindowIsUsedOnceWithMoreFaults() {
    run(Settings::withMore);
  }

  @Test
  void filesAreFoundAndUsedAndCopied() {
    assertThat(
            Seeds.logs(
                60,
                seed -> restarts(Settings.of(seed)),
                " finds a file of its predecessor",
                " finds a copy of a file"))
        .startsWith("carry-over seed=0 ");
  }
}
