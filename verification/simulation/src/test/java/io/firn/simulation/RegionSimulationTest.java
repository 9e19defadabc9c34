package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each region issues IDs of its home datacenter only, also where a process has another one. */
class RegionSimulationTest {

  private static final long SEEDS =
      Long.getLong("firn.simulation.seeds", Sizes.deep(60, 1_500)) / 3;

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  private static void run(UnaryOperator<Settings> faults) {
    var unused = Seeds.idsOf(SEEDS, seed -> faults.apply(seed.with(Subject.REGIONS)));
  }

  /** A home that the store showed, never acknowledged and took back is no home. */
  private static Settings without(Fault fault, Settings settings) {
    return settings.with(settings.scale().without(fault));
  }

  @Test
  void noRegionIssuesIdsOfTheOther() {
    run(settings -> settings);
  }

  @Test
  void noRegionIssuesIdsOfTheOtherWithMoreFaults() {
    run(seed -> without(Fault.UNKEPT_WRITE, seed.withMore()));
  }

  @Test
  void noRegionIssuesIdsOfTheOtherThoughStoresLoseTheirHomes() {
    run(Settings::withLosses);
  }

  @Test
  void processesOfTheWrongDatacenterDoNotStart() {
    String log = Simulation.runWithLog(Settings.of(7).with(Subject.REGIONS), Mutant.NONE).log();
    assertThat(log)
        .startsWith("regions seed=7 ")
        .contains(" is configured with the datacenter of the other region")
        .contains(" does not start: IllegalArgumentException");
  }
}
