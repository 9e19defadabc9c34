package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.InstalledProgram;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Each rule of {@code docs/operating/alerts.yaml} fires at its fault, as Prometheus has it. */
@Timeout(120)
final class AlertRulesTest {

  private static final String RULES = "alerts.yaml";
  private static final String NAME = "  - name: ";
  private static final String TESTS = "alerts-test.yaml";

  @TempDir private Path directory;

  static boolean promtoolIsInstalled() {
    return new InstalledProgram("promtool", "prometheus", "FIRN_REQUIRE_PROMTOOL").isInstalled();
  }

  @Test
  @EnabledIf("promtoolIsInstalled")
  void firesAtTheFaultOfEachRuleAndAtNoOtherTime() throws Exception {
    Files.copy(Path.of("..", "docs", "operating", RULES), directory.resolve(RULES));
    Files.copy(tests(), directory.resolve(TESTS));
    Process promtool =
        new ProcessBuilder("promtool", "test", "rules", TESTS)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String out = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor()).as(out).isZero();
  }

  private static Path tests() {
    return Path.of("src", "test", "resources", TESTS);
  }

  @Test
  void hasATestForEachRule() throws Exception {
    String rules = Files.readString(Path.of("..", "docs", "operating", RULES));
    List<String> alerts =
        rules
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("- alert: "))
            .map(line -> line.substring("- alert: ".length()))
            .collect(Collectors.toList());
    alerts.add("healthy");
    List<String> tested =
        Files.readAllLines(tests()).stream()
            .filter(line -> line.startsWith(NAME))
            .map(line -> line.substring(NAME.length()))
            .toList();
    assertThat(tested).containsExactlyElementsOf(alerts);
  }
}
