package io.firn.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.EtcdServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes issue IDs while the store or the processes fail, and no ID is issued twice. The table
 * of results is written to {@code target/faults.md}.
 */
class FaultsTest {

  private static final int PROCESSES = Integer.getInteger("firn.faults.processes", 8);
  private static final long SECONDS = Long.getLong("firn.faults.seconds", 20);
  private static final String ONLY = System.getProperty("firn.faults.only", "");

  /** The switch that repeats stores that lose writes with their identity hidden. */
  private static final boolean CONTROL = Boolean.getBoolean("firn.faults.control");

  /** For starting servers and processes, and for ending them, on a slow machine. */
  private static final long MAX_REST_SECONDS = 300;

  private static final List<String> ROWS = new ArrayList<>();

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> noIdIsIssuedTwice() {
    return Scenarios.all().keySet().stream()
        .filter(scenario -> scenario.contains(ONLY))
        .filter(scenario -> !scenario.startsWith("etcd") || EtcdServers.isInstalled())
        .map(scenario -> DynamicTest.dynamicTest(scenario, () -> run(scenario)));
  }

  private void run(String scenario) throws IOException, InterruptedException {
    boolean loses = Scenarios.losing().contains(scenario);
    String control =
        CONTROL && loses
            ? String.format(Locale.ROOT, "%,d", play(scenario, true).duplicates())
            : "";
    Fleet.Result result = play(scenario, false);
    ROWS.add(
        String.format(
            Locale.ROOT,
            "| %s | %,d | %,d | %s | %.1f |",
            scenario,
            result.ids(),
            result.duplicates(),
            control,
            result.longestStallMillis() / 1e3));
    assertThat(result.ids()).isPositive();
    if (!scenario.equals(Scenarios.RESIDUE)) {
      assertThat(result.duplicates()).isZero();
    }
  }

  private Fleet.Result play(String scenario, boolean hidden)
      throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(directory, "run");
    Path file = own.resolve("result");
    Path log = own.resolve("log");
    Process process = start(scenario, own, file, log, hidden);
    try {
      assertThat(process.waitFor(SECONDS + MAX_REST_SECONDS, TimeUnit.SECONDS))
          .as(() -> scenario + " ends; " + text(log))
          .isTrue();
    } finally {
      process.destroy(); // its servers end with it
    }
    assertThat(file).as(() -> scenario + " has a result; " + text(log)).exists();
    return Fleet.Result.of(Files.readString(file));
  }

  /**
   * In a session of its own, so that no signal to a process group gets from there to here or back.
   */
  private static Process start(
      String scenario, Path directory, Path result, Path log, boolean hidden) throws IOException {
    return new ProcessBuilder(
            "setsid",
            "--wait",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            ScenarioRun.class.getName(),
            scenario,
            "" + SECONDS,
            "" + PROCESSES,
            directory.toString(),
            result.toString(),
            "" + hidden)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @AfterAll
  static void writeTable() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| scenario | IDs | issued twice | with a hidden identity | longest stall, s |");
    lines.add("|---|--:|--:|--:|--:|");
    lines.addAll(ROWS);
    Files.write(Path.of("target/faults.md"), lines);
    lines.forEach(System.out::println);
  }
}
