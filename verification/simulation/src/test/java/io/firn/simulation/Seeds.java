package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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

  /**
   * Returns the logs of runs until each part is found in them.
   *
   * @param most how many runs there are at most, of the seeds from 0 on
   * @param parts regular expressions
   */
  static String logs(long most, LongFunction<Settings> settings, String... parts) {
    List<Pattern> missing = new ArrayList<>(Stream.of(parts).map(Pattern::compile).toList());
    StringBuilder logs = new StringBuilder();
    for (long seed = 0; seed < most && !missing.isEmpty(); seed++) {
      String log = Simulation.runWithLog(settings.apply(seed), Mutant.NONE).log();
      missing.removeIf(part -> part.matcher(log).find());
      logs.append(log);
    }
    assertThat(missing).isEmpty();
    return logs.toString();
  }
}
