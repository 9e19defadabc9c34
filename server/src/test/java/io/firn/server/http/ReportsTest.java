package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.server.WatchedTime;
import io.firn.testkit.TestThreads;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long answers are made by threads that serve no clients. */
@Timeout(60)
final class ReportsTest {

  @ParameterizedTest
  @ValueSource(strings = {"namespaces", "layouts", "server", "decode/1"})
  void areMadeOffTheLoops(String route) {
    WatchedTime time = new WatchedTime("io\\.firn\\.server\\.http\\.\\w+Routes?\\b");
    try (RunningServer server = RunningServer.start("http", HttpProtocol::new, time);
        RawClient client = server.connect()) {
      client.send("GET /v1/" + route + " HTTP/1.0\r\n\r\n");
      assertThat(client.rest()).startsWith("HTTP/1.1 200 ");
    }
    assertThat(time.threads())
        .anyMatch(name -> name.startsWith("firn-report-"))
        .noneMatch(name -> name.startsWith("firn-loop-"));
  }

  /** A thousand clients that ask for reports again and again would end monitoring. */
  @Test
  @Timeout(20)
  void ofClientsDelayNeitherMetricsNorAReload() throws Exception {
    String store = "store: 'switched:delayed'";
    try (HttpServing serving = HttpServing.start(store)) {
      serving.server().reloadFrom(() -> RunningServer.config("http", store));
      CountDownLatch done = new CountDownLatch(1);
      for (int i = 0; i < 16; i++) {
        serving
            .server()
            .service()
            .reports()
            .report(
                () -> {
                  TestThreads.await(done);
                  return true;
                });
      }
      assertThat(serving.get("/metrics").body()).contains("\nfirn_ready 1.0\n");
      assertThat(serving.post("/v1/admin/reload", "").body()).isEqualTo("reloaded\n");
      done.countDown();
      assertThat(serving.get("/v1/layouts").statusCode()).isEqualTo(200);
    }
  }
}
