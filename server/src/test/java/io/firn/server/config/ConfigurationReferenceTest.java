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
  private static final Path REFERENCE = DOCS.resolve("reference/configuration.md");
  private static final Map<String, Set<Scope>> SECTIONS =
      Map.of(
          "Server", Set.of(Scope.SERVER),
          "Snowflake namespaces", Set.of(Scope.NAMESPACE, Scope.SNOWFLAKES, Scope.SNOWFLAKE),
          "Segment namespaces", Set.of(Scope.SEGMENT),
          "Tokens", Set.of(Scope.TOKEN));
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path directory;

  /** With {@code -Dfirn.write.docs=true}, the lines of the settings are written into the page. */
  @ParameterizedTest
  @ValueSource(strings = {"Server", "Snowflake namespaces", "Segment namespaces", "Tokens"})
  void referenceHasALineForEachSetting(String section) throws Exception {
    List<String> settings =
        Settings.all().stream()
            .filter(setting -> SECTIONS.get(section).contains(setting.scope()))
            .map(ConfigurationReferenceTest::line)
            .toList();
    if (Boolean.getBoolean("firn.write.docs")) {
      write(section, settings);
    }
    assertThat(lines(section)).containsExactlyElementsOf(settings);
  }

  @Test
  void referenceHasASectionForEachScope() {
    assertThat(SECTIONS.values().stream().flatMap(Set::stream))
        .containsExactlyInAnyOrder(Scope.values());
  }

  private static List<String> lines(String section) throws Exception {
    Matcher table = table(section);
    assertThat(table.find()).isTrue();
    return table.group(2).lines().toList();
  }

  private static void write(String section, List<String> lines) throws Exception {
    Files.writeString(
        REFERENCE,
        table(section)
            .replaceFirst(
                found ->
                    Matcher.quoteReplacement(found.group(1) + String.join("\n", lines) + "\n")));
  }

  /** Returns the finder of a section up to its table, and of the lines of the table. */
  private static Matcher table(String section) throws Exception {
    return Pattern.compile("(\n## " + section + "\n(?:(?!## ).*\n)*?\\|---.*\n)((?:\\| `.*\n)*)")
        .matcher(Files.readString(REFERENCE));
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
