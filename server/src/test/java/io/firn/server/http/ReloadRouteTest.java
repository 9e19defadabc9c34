package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.CurrentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.testkit.LogLines;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reloads while a file of the settings is on a disk that does not answer. */
@Timeout(60)
final class ReloadRouteTest {

  private static final String PATH = "/v1/admin/reload";

  @Test
  void refusesAReloadWhileAnotherOneRuns() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CompletableFuture<ServerConfig> hung = new CompletableFuture<>();
    try (LogLines log = new LogLines("io.firn.audit");
        HttpServing serving = HttpServing.start("on-demand: off")) {
      ServerConfig config = serving.server().service().config();
      serving
          .server()
          .reloadFrom(
              () -> {
                reading.countDown();
                return hung.join();
              });
      CurrentConfig current = serving.server().service().current();
      CompletableFuture<Void> first = CompletableFuture.runAsync(current::reload);
      reading.await();
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> refused = serving.post(PATH, "");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(refused.body()).contains("A reload that began ", "retry when it has ended");
      }
      assertThat(log.messages())
          .hasSize(3)
          .allMatch(line -> line.startsWith("configuration not reloaded, nothing has changed: A "));
      hung.complete(config);
      first.join();
      assertThat(serving.post(PATH, "").body()).isEqualTo("reloaded\n");
    } finally {
      hung.cancel(false);
    }
  }
}
