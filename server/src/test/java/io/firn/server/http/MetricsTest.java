package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RunningServer;
import io.firn.server.SwitchedStores;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code /metrics}. */
@Timeout(60)
final class MetricsTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Test
  void idsAreCounted() throws Exception {
    try (HttpServing serving =
        HttpServing.start("{store: 'switched:count', namespaces: {orders: {}}}")) {
      serving.get("/v1/ids/orders?count=7");
      assertThat(scrape(serving))
          .contains("\nfirn_ready 1.0\n")
          .contains("\nfirn_connections_limit 10000.0\n")
          .contains("\nfirn_issued_ids_total{namespace=\"orders\"} 7.0\n")
          .containsPattern("\nfirn_waits_total\\{namespace=\"orders\"} [01]\\.0\n")
          .contains("\nfirn_clock_steps_total{namespace=\"orders\"} 0.0\n")
          .containsPattern("\nfirn_lead_seconds\\{namespace=\"orders\"} [0-9.]+\n")
          .containsPattern("\nfirn_worker_id\\{namespace=\"orders\"} [0-9]+\\.0\n")
          .containsPattern("\nfirn_layout_remaining_seconds\\{namespace=\"orders\"} 2\\.[0-9]+E9\n")
          .containsPattern(
              "\n"
                  + "firn_lease_remaining_seconds\\{namespace=\"orders\"}"
                  + " (1[5-9]|2[0-9]|30)\\.[0-9]+\n")
          .contains(renewals("acquired", 1))
          .contains(renewals("renewed", 0))
          .contains(renewals("lost", 0))
          .contains(renewals("expired", 0));
    }
  }

  private static String renewals(String outcome, int count) {
    return "\nfirn_lease_renewals_total{namespace=\"orders\",outcome=\""
        + outcome
        + "\"} "
        + count
        + ".0\n";
  }

  @Test
  void segmentsAreCounted() throws Exception {
    try (HttpServing serving = HttpServing.start("namespaces: {numbers: {type: segment}}")) {
      serving.get("/v1/ids/numbers?count=7");
      assertThat(scrape(serving))
          .contains("\nfirn_issued_ids_total{namespace=\"numbers\"} 7.0\n")
          .containsPattern("\nfirn_segment_left_ids\\{namespace=\"numbers\"} [1-9][0-9]*\\.0\n")
          .contains("\nfirn_segment_waits_total{namespace=\"numbers\"} 0.0\n")
          .containsPattern(
              "\nfirn_segment_fetches_total\\{namespace=\"numbers\",outcome=\"given\"} [1-9]")
          .contains("\nfirn_segment_fetches_total{namespace=\"numbers\",outcome=\"failed\"} 0.0\n")
          .doesNotContain("firn_worker_id{");
    }
  }

  @Test
  void requestsAreCountedWithTheirTimes() throws Exception {
    try (HttpServing serving = HttpServing.start("");
        RawHttp http = serving.connect()) {
      for (int i = 0; i < 3; i++) {
        http.get("/livez").answer();
      }
      http.get("/nowhere").answer();
      http.get("/metrics");
      assertThat(http.answer())
          .contains("\nfirn_connections{protocol=\"http\"} 1.0\n")
          .contains("\nfirn_refusals_total{protocol=\"http\",reason=\"not_found\"} 1.0\n")
          .contains("\n# TYPE firn_request_seconds histogram\n")
          .containsPattern(
              "\nfirn_request_seconds_bucket\\{protocol=\"http\",le=\"1.0E-5\"} [0-4]\n")
          .contains("\nfirn_request_seconds_bucket{protocol=\"http\",le=\"10.0\"} 4\n")
          .contains("\nfirn_request_seconds_bucket{protocol=\"http\",le=\"+Inf\"} 4\n")
          .contains("\nfirn_request_seconds_count{protocol=\"http\"} 4\n")
          .containsPattern("\nfirn_request_seconds_sum\\{protocol=\"http\"} [0-9.E-]+\n");
    }
  }

  @Test
  void aNamespaceThatOpensLaterIsMeteredFromThenOn() throws Exception {
    try (HttpServing serving = HttpServing.start("")) {
      assertThat(scrape(serving)).contains("{namespace=\"default\"}").doesNotContain("later");
      serving.get("/v1/ids/later?count=2");
      assertThat(scrape(serving)).contains("firn_issued_ids_total{namespace=\"later\"} 2.0\n");
      serving.get("/v1/ids/later?count=3");
      assertThat(scrape(serving)).contains("firn_issued_ids_total{namespace=\"later\"} 5.0\n");
    }
  }

  /** A counter of the type before would fail every scrape from then on. */
  @Test
  void aNamespaceThatAReloadOpensWithAnotherTypeHasOtherMeters() throws Exception {
    String store = "store: 'switched:other-type'";
    try (HttpServing serving = HttpServing.start(store)) {
      serving.get("/v1/ids/orders?count=2");
      assertThat(scrape(serving)).contains("firn_worker_id{namespace=\"orders\"}");
      reload(serving, "{" + store + ", namespaces: {orders: {type: segment}}}");
      HttpResponse<String> scraped = serving.get("/metrics");
      assertThat(scraped.statusCode()).as(scraped.body()).isEqualTo(200);
      await(serving, "firn_segment_left_ids\\{namespace=\"orders\"}");
      assertThat(scrape(serving)).doesNotContain("firn_worker_id{namespace=\"orders\"}");
    }
  }

  /** The alerts on lost leases ask these counters. */
  @Test
  void leaseEventsOfANamespaceThatAReloadOpensAgainAreCounted() throws Exception {
    String store = "store: 'switched:opened-again'";
    try (HttpServing serving = HttpServing.start(store)) {
      serving.get("/v1/ids/orders");
      assertThat(scrape(serving)).contains(renewals("renewed", 0));
      reload(serving, "{" + store + ", namespaces: {orders: {window: 2s}}}");
      await(serving, "firn_lease_renewals_total\\{namespace=\"orders\",outcome=\"renewed\"} [1-9]");
    }
  }

  /** Its last state would look like one that issues. */
  @Test
  void aNamespaceThatCannotBeOpenedAgainHasNoMetersOfBefore() throws Exception {
    String store = "store: 'switched:not-opened-again'";
    try (HttpServing serving = HttpServing.start(store)) {
      serving.get("/v1/ids/orders");
      assertThat(scrape(serving)).contains("firn_lease_remaining_seconds{namespace=\"orders\"}");
      SwitchedStores.named("not-opened-again").down(true);
      reload(serving, "{" + store + ", namespaces: {orders: {window: 2s}}}");
      assertThat(scrape(serving))
          .contains("firn_namespace_ready{namespace=\"orders\"} 0.0")
          .doesNotContain("firn_lease_remaining_seconds{namespace=\"orders\"}");
      SwitchedStores.named("not-opened-again").down(false);
    }
  }

  private static void reload(HttpServing serving, String yaml) throws Exception {
    serving.server().reloadFrom(() -> RunningServer.config("http", yaml));
    assertThat(serving.post("/v1/admin/reload", "").body()).isEqualTo("reloaded\n");
  }

  @Test
  void outagesAreCounted() throws Exception {
    try (HttpServing serving =
        HttpServing.start("{store: 'switched:out', defaults: {window: 2s}}")) {
      await(serving, "outcome=\"renewed\"\\} [1-9]");
      SwitchedStores.named("out").down(true);
      await(serving, "outcome=\"expired\"\\} 1");
      await(serving, "firn_ready 0");
      assertThat(scrape(serving))
          .containsPattern("\nfirn_lease_remaining_seconds\\{namespace=\"default\"} -[0-9.E-]+\n");
      SwitchedStores.named("out").down(false);
      await(serving, "firn_ready 1");
    }
  }

  @Test
  void connectionsThatTheServerClosesAreCountedByTheirReason() throws Exception {
    try (HttpServing serving = HttpServing.start("limits: {request-time: 100ms}");
        RawHttp slow = serving.connect()) {
      slow.send("GET / HTTP/1.1\r\n");
      await(serving, "firn_connections_closed_total\\{protocol=\"http\",reason=\"slow\"} 1.0");
      assertThat(scrape(serving))
          .contains(
              "firn_connections_closed_total{protocol=\"http\",reason=\"idle\"} 0.0",
              "firn_connections_closed_total{protocol=\"http\",reason=\"memory\"} 0.0");
    }
  }

  @Test
  void refusalsAreCountedByTheirReason() throws Exception {
    try (HttpServing serving = HttpServing.start("on-demand: off")) {
      serving.get("/v1/ids/default?count=0");
      serving.get("/v1/ids/other");
      serving.get("/v1/ids/other");
      assertThat(scrape(serving))
          .contains(
              "firn_refusals_total{protocol=\"http\",reason=\"bad_request\"} 1.0",
              "firn_refusals_total{protocol=\"http\",reason=\"not_found\"} 2.0",
              "firn_refusals_total{protocol=\"http\",reason=\"unavailable\"} 0.0",
              "firn_refusals_total{protocol=\"http\",reason=\"other\"} 0.0");
    }
  }

  /** A probe asks every few seconds, and is answered: no client lacks anything. */
  @Test
  void anOutageThatAProbeReportsIsNoRefusal() throws Exception {
    try (HttpServing serving = HttpServing.startClosed("store: 'redis://127.0.0.1:1'")) {
      assertThat(serving.get("/readyz").statusCode()).isEqualTo(503);
      assertThat(serving.get("/readyz?namespace=default").statusCode()).isEqualTo(503);
      assertThat(scrape(serving))
          .contains("firn_refusals_total{protocol=\"http\",reason=\"unavailable\"} 0.0")
          .contains("firn_refusals_total{protocol=\"http\",reason=\"other\"} 0.0");
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(503);
      assertThat(serving.get("/readyz?namespace=a%20b").statusCode()).isEqualTo(400);
      assertThat(scrape(serving))
          .contains("firn_refusals_total{protocol=\"http\",reason=\"unavailable\"} 1.0")
          .contains("firn_refusals_total{protocol=\"http\",reason=\"bad_request\"} 1.0");
    }
  }

  @Test
  void theServerReportsItsVersionAndItsWorkerIds() throws Exception {
    try (HttpServing serving = HttpServing.start("")) {
      await(serving, "firn_workers_used\\{namespace=\"default\"} 1.0");
      assertThat(scrape(serving))
          .contains("firn_workers{namespace=\"default\"} 1024.0")
          .contains("firn_workers_reserved{namespace=\"default\"} 0.0")
          .contains("firn_lease_renewal_lag_seconds{namespace=\"default\"} 0.0")
          .contains("firn_certificate_remaining_seconds NaN")
          .containsPattern("firn_build_info\\{java=\"[^\"]+\",version=\"[^\"]+\"} 1\n");
    }
  }

  /** Counting them takes the longer the more connections there are. */
  @Test
  void openFilesAreNotCountedAtEachScrape(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    List<InputStream> opened = new ArrayList<>();
    try (HttpServing serving = HttpServing.start("")) {
      double before = openFiles(serving);
      for (int i = 0; i < 100; i++) {
        opened.add(Files.newInputStream(file));
      }
      assertThat(openFiles(serving)).isEqualTo(before).isGreaterThan(10);
    } finally {
      for (InputStream stream : opened) {
        stream.close();
      }
    }
  }

  private static double openFiles(HttpServing serving) throws Exception {
    Matcher count =
        Pattern.compile("\nprocess_files_open_files ([0-9.]+)\n").matcher(scrape(serving));
    assertThat(count.find()).isTrue();
    return Double.parseDouble(count.group(1));
  }

  @Test
  void openMetricsIsSpokenToo() throws Exception {
    try (HttpServing serving = HttpServing.start("")) {
      HttpResponse<String> answer =
          serving.get("/metrics", "Accept", "application/openmetrics-text;version=1.0.0");
      assertThat(answer.headers().firstValue("content-type"))
          .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
      assertThat(answer.body()).endsWith("# EOF\n");
      assertThat(serving.get("/metrics").headers().firstValue("content-type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
    }
  }

  @Test
  void metricsNeedATokenWhereTokensAreAskedFor(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-secret-of-16-or-more");
    try (HttpServing serving = HttpServing.start("token-file: " + token)) {
      assertThat(serving.get("/metrics").statusCode()).isEqualTo(401);
      assertThat(
              serving
                  .get("/metrics", "Authorization", "Bearer a-secret-of-16-or-more")
                  .statusCode())
          .isEqualTo(200);
    }
  }

  private static String scrape(HttpServing serving) throws Exception {
    return serving.get("/metrics").body();
  }

  private static void await(HttpServing serving, String pattern) throws Exception {
    Instant end = Instant.now().plus(TIMEOUT);
    String text = scrape(serving);
    while (!Pattern.compile(pattern).matcher(text).find() && Instant.now().isBefore(end)) {
      text = scrape(serving);
    }
    assertThat(text).containsPattern(pattern);
  }
}
