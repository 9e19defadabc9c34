package io.firn.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.EtcdServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes issue IDs while the store or the processes fail, and no ID is issued twice. The
 * table of results is written to {@code target/faults.md}.
 */
class FaultsTest {

  static final int PROCESSES = 8;

  private static final Duration LENGTH =
      Duration.ofSeconds(Long.getLong("firn.faults.seconds", 20));
  private static final String ONLY = System.getProperty("firn.faults.only", "");
  private static final List<String> ROWS = new ArrayList<>();

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> noIdIsIssuedTwice() {
    return Scenarios.all().entrySet().stream()
        .filter(scenario -> scenario.getKey().contains(ONLY))
        .filter(scenario -> !scenario.getKey().startsWith("etcd") || EtcdServers.isInstalled())
        .map(scenario -> DynamicTest.dynamicTest(scenario.getKey(), () -> run(scenario)));
  }

  private void run(Map.Entry<String, Function<Path, Scenario>> entry) throws IOException {
    Path own = Files.createTempDirectory(directory, "run");
    try (Scenario scenario = entry.getValue().apply(own);
        Fleet fleet = new Fleet(scenario.store(), window(scenario), own)) {
      fleet.start(PROCESSES);
      scenario.play(new Stage(LENGTH), fleet);
      Fleet.Result result = fleet.end();
      ROWS.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %d | %.1f |",
              entry.getKey(),
              result.ids(),
              result.duplicates(),
              result.longestStallMillis() / 1e3));
      assertThat(result.duplicates()).isZero();
      assertThat(result.ids()).isPositive();
    }
  }

  private static Duration window(Scenario scenario) {
    return Duration.ofMillis((long) (LENGTH.toMillis() * scenario.windowShare()));
  }

  @AfterAll
  static void writeTable() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| scenario | IDs | issued twice | longest stall, s |");
    lines.add("|---|--:|--:|--:|");
    lines.addAll(ROWS);
    Files.write(Path.of("target/faults.md"), lines);
    lines.forEach(System.out::println);
  }
}
