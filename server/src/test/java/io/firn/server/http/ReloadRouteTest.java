package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.CurrentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.testkit.LogLines;
import io.firn.testkit.TestThreads;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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
        HttpServing serving = HttpServing.start("on-demand: off");
        RawHttp first = serving.connect()) {
      ServerConfig config = serving.server().service().config();
      serving
          .server()
          .reloadFrom(
              () -> {
                reading.countDown();
                return hung.join();
              });
      first.send("POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
      reading.await();
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> refused = serving.post(PATH, "");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(refused.body()).contains("A reload that began ", "retry when it has ended");
      }
      assertThat(serving.get("/metrics").statusCode()).isEqualTo(200);
      assertThat(log.messages())
          .hasSize(3)
          .allMatch(line -> line.startsWith("configuration not reloaded, nothing has changed: A "));
      hung.complete(config);
      assertThat(first.answer()).contains(" 200 ");
      assertThat(serving.post(PATH, "").body()).isEqualTo("reloaded\n");
    } finally {
      hung.cancel(false);
    }
  }

  /** The file may have changed after the reload that runs has read it. */
  @Test
  void signalsDuringAReloadCauseOneAfterIt() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(99);
    AtomicInteger reads = new AtomicInteger();
    CompletableFuture<ServerConfig> hung = new CompletableFuture<>();
    try (LogLines log = new LogLines("io.firn.audit");
        HttpServing serving = HttpServing.start("on-demand: off")) {
      CurrentConfig current = serving.server().service().current();
      ServerConfig config = serving.server().service().config();
      serving
          .server()
          .reloadFrom(
              () -> {
                reads.incrementAndGet();
                reading.countDown();
                return hung.join();
              });
      TestThreads signals = new TestThreads();
      signals.start(current::reloadLater);
      reading.await();
      for (int i = 0; i < 100; i++) {
        signals.start(
            () -> {
              current.reloadLater();
              ended.countDown();
            });
      }
      ended.await(); // all but the one that waits
      while (log.messages().isEmpty()) {
        Thread.sleep(1);
      }
      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches("configuration read again when the reload that began [0-9] s ago has ended");
      hung.complete(config);
      signals.join();
      assertThat(reads).hasValue(2);
      assertThat(log.messages()).endsWith("configuration reloaded");
    } finally {
      hung.cancel(false);
    }
  }
}
