package io.firn.benchmarks;

import io.firn.benchmarks.Contender.Race;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The command line of {@code firn bench}.
 *
 * @param races those that are named, empty if none is
 * @param json where to write the run
 * @param svg where to draw the chart
 * @param from the run to read instead of measuring
 */
record Arguments(
    boolean quick, Set<Race> races, Optional<Path> json, Optional<Path> svg, Optional<Path> from) {

  static final String USAGE =
      """
      Usage: firn bench [--quick] [--json FILE] [--svg FILE]
                        [saturated] [uncapped] [segments] [wide]
             firn bench --from FILE [--svg FILE]
             firn bench scale [--quick] [--store ADDRESS]...
                              [--json FILE] [--svg DIRECTORY]
             firn bench scale --from FILE [--svg DIRECTORY]
      Measures Firn beside its peers in about 40 minutes, or the races that are
      named; with scale, how its cost grows with its fleet. Prints Markdown tables.
            --from FILE       Read a run that --json wrote, and measure nothing.
        -h, --help            Show this help message and exit.
            --json FILE       Write the run there.
            --quick           Measure the races of 64-bit IDs in under ten minutes;
                                with scale, only small fleets.
            --store ADDRESS   Measure with this store; repeatable. In memory by
                                default.
            --svg FILE        Draw the chart there; with scale, a DIRECTORY for
                                several.
      """;

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Arguments parse(String... arguments) {
    boolean quick = false;
    Set<Race> races = EnumSet.noneOf(Race.class);
    List<Optional<Path>> files = new ArrayList<>(Arrays.asList(none(), none(), none()));
    List<String> options = List.of("--json", "--svg", "--from");
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (argument.equals("--quick")) {
        quick = true;
      } else if (options.contains(argument)) {
        files.set(options.indexOf(argument), Optional.of(Path.of(value(arguments, ++i))));
      } else {
        races.add(race(argument));
      }
    }
    Arguments parsed = new Arguments(quick, races, files.get(0), files.get(1), files.get(2));
    if (parsed.from().isPresent() && (quick || !races.isEmpty() || parsed.json().isPresent())) {
      throw new IllegalArgumentException(
          "from: " + parsed.from().get() + " (expected: alone or with --svg, it measures nothing)");
    }
    return parsed;
  }

  private static Optional<Path> none() {
    return Optional.empty();
  }

  /** Returns the value of the option before it. */
  static String value(String[] arguments, int index) {
    if (index == arguments.length || arguments[index].startsWith("--")) {
      throw new IllegalArgumentException(
          arguments[index - 1].substring(2) + ": nothing (expected: a value behind it)");
    }
    return arguments[index];
  }

  private static Race race(String name) {
    for (Race race : Race.values()) {
      if (race.label().equals(name)) {
        return race;
      }
    }
    throw new IllegalArgumentException(
        "argument: "
            + name
            + " (expected: --quick, --json, --svg, --from or one of "
            + Arrays.stream(Race.values()).map(Race::label).toList()
            + ")");
  }
}
