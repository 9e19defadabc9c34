package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** Runs of the code as it is, one for each seed. */
final class Seeds {

  private Seeds() {}

  /**
   * Checks that no run fails, and returns the number of IDs that all of them issued.
   *
   * @param count the seeds are 0 to one less
   * @param faults returns the settings of a run, from those of its seed
   */
  static long idsOf(long count, UnaryOperator<Settings> faults) {
    return LongStream.range(0, count)
        .parallel()
        .map(
            seed -> {
              Outcome outcome = Simulation.run(faults.apply(Settings.of(seed)), Mutant.NONE);
              assertThat(outcome.failure()).as(outcome.settings().command()).isNull();
              return outcome.ids();
            })
        .sum();
  }
}
