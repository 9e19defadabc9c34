package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.metrics.Metrics;
import io.firn.testkit.TestThreads;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server with a namespace whose source is away. */
@Timeout(120)
final class ReadinessTest {

  private static HttpServing serving;

  @BeforeAll
  static void start() {
    serving =
        HttpServing.startClosed(
            """
            on-demand: off
            namespaces:
              orders:
              invoices:
                type: segment
                required: off
                max-wait: 100ms
                source: 'redis://127.0.0.1:1?allow-counters=true'
            """);
    serving.server().openNamespaces();
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @Test
  void isReadyWithoutWhatItDoesNotRequire() throws Exception {
    while (status("/readyz") != 200) {
      Thread.sleep(10);
    }
    assertThat(status("/readyz?namespace=orders")).isEqualTo(200);
    assertThat(status("/readyz?namespace=invoices")).isEqualTo(503);
    assertThat(status("/readyz?namespace=other")).isEqualTo(404);
    assertThat(serving.get("/metrics").body())
        .contains(
            "firn_ready 1.0",
            "firn_namespace_ready{namespace=\"orders\"} 1.0",
            "firn_namespace_ready{namespace=\"invoices\"} 0.0");
  }

  /** A pair of Prometheus servers asks at the same time. */
  @Test
  void isInEachOfManyAnswersAtOnce() throws Exception {
    Metrics metrics = new Metrics(serving.server().service());
    TestThreads scrapers = new TestThreads();
    for (int i = 0; i < 4; i++) {
      scrapers.start(
          () -> {
            for (int j = 0; j < 300; j++) {
              assertThat(metrics.scrape("text/plain"))
                  .contains("firn_namespace_ready{namespace=\"orders\"} ");
            }
          });
    }
    scrapers.join();
  }

  /** As ready as the server is: the first request opens it. */
  @Test
  void isReadyForANamespaceThatIsOpenedOnDemand() throws Exception {
    try (HttpServing onDemand = HttpServing.start("on-demand: on")) {
      assertThat(onDemand.get("/readyz?namespace=bills").body()).isEqualTo("ready\n");
      assertThat(onDemand.get("/v1/namespaces").body()).doesNotContain("bills");
      assertThat(onDemand.get("/v1/ids/bills").statusCode()).isEqualTo(200);
      assertThat(onDemand.get("/readyz?namespace=bills").body()).isEqualTo("ready\n");
      assertThat(onDemand.get("/readyz?namespace=a%20b").statusCode()).isEqualTo(400);
      assertThat(onDemand.get("/readyz?namespace=DEFAULT").statusCode()).isEqualTo(400);
    }
    try (HttpServing away =
        HttpServing.startClosed("{on-demand: on, store: 'redis://127.0.0.1:1'}")) {
      assertThat(away.get("/readyz?namespace=bills").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void isNotReadyForANamespaceThatIsOneTooMany() throws Exception {
    try (HttpServing full = HttpServing.start("{on-demand: on, limits: {namespaces: 2}}")) {
      assertThat(full.get("/readyz?namespace=bills").statusCode()).isEqualTo(200);
      assertThat(full.get("/v1/ids/bills").statusCode()).isEqualTo(200);
      for (String path : List.of("/v1/ids/notes", "/readyz?namespace=notes")) {
        HttpResponse<String> refused = full.get(path);
        assertThat(refused.statusCode()).as(path).isEqualTo(429);
        assertThat(refused.body())
            .contains("Namespace notes cannot be opened: 2 are open, the limit");
      }
      assertThat(full.get("/readyz?namespace=bills").statusCode()).isEqualTo(200);
      assertThat(full.get("/readyz").statusCode()).isEqualTo(200);
    }
  }

  private static int status(String path) throws Exception {
    return serving.get(path).statusCode();
  }
}
