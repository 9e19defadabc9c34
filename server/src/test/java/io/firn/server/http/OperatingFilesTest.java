package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.lease.LayoutChange;
import io.firn.server.config.Sources;
import io.firn.store.RegisterStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules in {@code docs/operating} ask for metrics that there are. */
@Timeout(120)
final class OperatingFilesTest {

  private static final Path DOCS = Path.of("..", "docs", "operating");

  private static PromQl promQl;

  @BeforeAll
  static void scrape(@TempDir Path directory) throws Exception {
    String uri = "file:" + directory;
    try (HttpServing serving =
            HttpServing.start(
                "{store: '"
                    + uri
                    + "', namespaces: {default: {layout: js_safe}, numbers: {type: segment}}}");
        RegisterStore store = RegisterStore.open(uri)) {
      Instant tomorrow = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
      LayoutChange.of(store, "default").apply(IdLayout.CLASSIC, tomorrow, false);
      Set<String> metrics = new TreeSet<>();
      metrics.add("up"); // Prometheus has it for each scrape
      while (!metrics.contains("firn_layout_change_seconds")) { // by the next census
        for (String line : serving.get("/metrics").body().split("\n", -1)) {
          metrics.add(line.split("[{ ]", 2)[0]);
        }
        Thread.sleep(50);
      }
      promQl = new PromQl(metrics);
    }
  }

  @Test
  void theDashboardQueriesExistingMetrics() throws Exception {
    Object dashboard = new Yaml().load(Files.readString(DOCS.resolve("grafana.json")));
    List<String> expressions = values(dashboard, "expr");
    assertThat(expressions).hasSizeGreaterThan(15).allSatisfy(promQl::check);
    assertThat(values(dashboard, "title")).doesNotHaveDuplicates();
  }

  @Test
  void theRulesQueryExistingMetrics() throws Exception {
    Object rules = new Yaml().load(Files.readString(DOCS.resolve("alerts.yaml")));
    List<String> expressions = values(rules, "expr");
    assertThat(values(rules, "alert")).hasSameSizeAs(expressions).doesNotHaveDuplicates();
    assertThat(values(rules, "summary")).hasSameSizeAs(expressions);
    assertThat(expressions).hasSizeGreaterThan(5).allSatisfy(promQl::check);
  }

  @Test
  void theDocumentedMetricsAreThere() throws Exception {
    String page = Files.readString(DOCS.resolve("metrics.md"));
    List<String> named =
        page.lines()
            .filter(line -> line.startsWith("| `firn_"))
            .map(line -> line.substring(0, line.indexOf('|', 1)))
            .flatMap(cell -> List.of(cell.split("`", -1)).stream())
            .filter(text -> text.startsWith("firn_"))
            .map(text -> text.replaceFirst("\\{.*", ""))
            .map(name -> name.equals("firn_request_seconds") ? name + "_bucket" : name)
            .toList();
    assertThat(named).hasSizeGreaterThan(10).allSatisfy(promQl::check);
  }

  @Test
  void theNamedSettingsAreThere() throws Exception {
    Set<String> settings =
        Sources.flags().stream()
            .map(flag -> flag.name().replaceFirst("--", ""))
            .collect(Collectors.toSet());
    Pattern named = Pattern.compile("`((?:limits|tls|listen|otlp|defaults|leaf|tinyid)[.][a-z-]+)");
    for (String page :
        List.of(
            "operating/deploying.md",
            "operating/checklist.md",
            "operating/metrics.md",
            "using/server.md")) {
      Matcher setting = named.matcher(Files.readString(Path.of("..", "docs").resolve(page)));
      while (setting.find()) {
        assertThat(settings).as(page).contains(setting.group(1).replace('.', '-'));
      }
    }
  }

  @Test
  void mistakesInExpressionsAreFound() {
    for (String mistake :
        List.of(
            "firn_isued_ids_total",
            "rate(firn_issued_ids_total[5m]",
            "rate(firn_issued_ids_total[5x])",
            "ratte(firn_issued_ids_total[5m])",
            "sum by namespace (firn_ready)",
            "firn_ready{namespace}",
            "firn_ready ==",
            "firn_ready firn_ready")) {
      assertThatThrownBy(() -> promQl.check(mistake))
          .as(mistake)
          .isInstanceOf(AssertionError.class);
    }
  }

  private static List<String> values(Object tree, String key) {
    List<String> found = new ArrayList<>();
    walk(
        tree,
        (name, value) -> {
          if (name.equals(key)) {
            found.add((String) value);
          }
        });
    return found;
  }

  private static void walk(Object tree, BiConsumer<Object, Object> visitor) {
    if (tree instanceof Map<?, ?> map) {
      map.forEach(visitor);
      map.values().forEach(value -> walk(value, visitor));
    } else if (tree instanceof List<?> list) {
      list.forEach(value -> walk(value, visitor));
    }
  }
}
