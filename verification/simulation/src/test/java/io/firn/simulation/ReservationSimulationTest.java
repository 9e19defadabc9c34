package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.testkit.Sizes;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** No lease issues an ID of a worker in the times for which it is reserved for another system. */
class ReservationSimulationTest {

  private static final long SEEDS =
      Long.getLong("firn.simulation.seeds", Sizes.deep(60, 1_500)) / 3;

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  private static void run(UnaryOperator<Settings> faults) {
    var unused = Seeds.idsOf(SEEDS, seed -> faults.apply(seed.with(Subject.RESERVATIONS)));
  }

  @Test
  void noLeaseIssuesWithAReservedWorker() {
    run(settings -> settings);
  }

  @Test
  void noLeaseIssuesWithAReservedWorkerWithMoreFaults() {
    run(Settings::withMore);
  }

  /** The clock was an hour ahead when the generator issued; then its worker was reserved. */
  @Test
  void generatorOfAReservedWorkerIssuesAgainAfterTheTimeOfItsLastId() {
    Settings settings = Settings.of(200_001_077).with(Subject.RESERVATIONS);

    assertThat(Simulation.run(settings, Mutant.NONE).failure()).isNull();
  }

  @Test
  void workersAreReservedRefusedAndReleased() {
    assertThat(
            Seeds.logs(
                20,
                seed -> Settings.of(seed).with(Subject.RESERVATIONS),
                " reserves worker ",
                " releases worker ",
                " is refused worker \\d+ IllegalStateException",
                "there were \\d{2,} reservations, \\d+ ended"))
        .startsWith("reservations seed=0 ");
  }
}
