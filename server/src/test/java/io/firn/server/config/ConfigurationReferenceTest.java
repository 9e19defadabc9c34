package io.firn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documentation has the settings of the table. */
final class ConfigurationReferenceTest {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Map<String, Set<Scope>> SECTIONS =
      Map.of(
          "Server", Set.of(Scope.SERVER),
          "Snowflake namespaces", Set.of(Scope.NAMESPACE, Scope.SNOWFLAKES, Scope.SNOWFLAKE),
          "Segment namespaces", Set.of(Scope.SEGMENT),
          "Tokens", Set.of(Scope.TOKEN));
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path directory;

  /** A new setting, or a changed one, needs the line that this test expects. */
  @ParameterizedTest
  @ValueSource(strings = {"Server", "Snowflake namespaces", "Segment namespaces", "Tokens"})
  void referenceHasALineForEachSetting(String section) throws Exception {
    assertThat(lines(section))
        .containsExactlyElementsOf(
            Settings.all().stream()
                .filter(setting -> SECTIONS.get(section).contains(setting.scope()))
                .map(ConfigurationReferenceTest::line)
                .toList());
  }

  @Test
  void referenceHasASectionForEachScope() {
    assertThat(SECTIONS.values().stream().flatMap(Set::stream))
        .containsExactlyInAnyOrder(Scope.values());
  }

  private static List<String> lines(String section) throws Exception {
    String text = Files.readString(DOCS.resolve("reference/configuration.md"));
    String begin = "\n## " + section + "\n";
    String rest = text.substring(text.indexOf(begin) + begin.length());
    int end = rest.indexOf("\n## ");
    return (end < 0 ? rest : rest.substring(0, end))
        .lines()
        .filter(line -> line.startsWith("| `"))
        .toList();
  }

  private static String line(Setting<?> setting) {
    String paths =
        SettingPath.all().stream()
            .filter(path -> path.setting().equals(setting))
            .map(path -> code(path.path().replace("*", "NAME")))
            .collect(Collectors.joining(", "));
    String range = setting.type().range();
    return "| %s | %s | %s | %s |"
        .formatted(
            paths,
            code(setting.type().form()) + (range.isEmpty() ? "" : ", " + range),
            setting.byDefault() == null ? "" : code(Objects.requireNonNull(setting.byDefault())),
            setting.help());
  }

  private static String code(String text) {
    return "`" + text.replace("|", "\\|") + "`";
  }

  @Test
  void exampleHasKnownSettingsOnly() throws Exception {
    Matcher example = YAML.matcher(Files.readString(DOCS.resolve("using/server.md")));
    assertThat(example.find()).isTrue();
    Path file = Files.writeString(directory.resolve("firn.yaml"), example.group(1));
    assertThat(YamlFile.read(file)).containsKeys("listen.http", "limits.namespaces");
  }
}
