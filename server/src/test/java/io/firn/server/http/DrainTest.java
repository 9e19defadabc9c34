package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a stop as clients of HTTP see it. */
@Timeout(120)
final class DrainTest {

  private static final String CLOSE = "connection: close\r\n";

  @Test
  void announcesTheEndOfAConnectionInsteadOfCuttingIt() throws Exception {
    try (HttpServing serving = HttpServing.start("{grace: 60s, drain: 3s}");
        RawHttp kept = serving.connect()) {
      assertThat(kept.get("/readyz").answer()).contains(" 200 ").doesNotContain(CLOSE);
      CompletableFuture<Void> stop = CompletableFuture.runAsync(serving::close);
      awaitUnready(serving);
      String answer = "";
      while (!answer.contains(CLOSE)) { // its event loop is told a moment later
        answer = kept.get("/v1/ids/default").answer();
        assertThat(answer).contains(" 200 ");
      }
      assertThat(kept.rest()).isEmpty();
      try (RawHttp late = serving.connect()) {
        assertThat(late.get("/v1/ids/default").rest()).contains(" 200 ").contains(CLOSE);
      }
      stop.join();
    }
  }

  private static void awaitUnready(HttpServing serving) {
    String answer = "";
    while (!answer.contains(" 503 ")) {
      try (RawHttp probe = serving.connect()) {
        answer = probe.get("/readyz").answer();
      }
    }
    assertThat(answer).contains("This server is stopping; retry with another server");
  }

  /** Only the drain moves the clock, so the client has just connected. */
  @Test
  void answersTheFirstRequestOfAClientThatHasJustConnected() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-27T12:00:00Z"));
    try (HttpServing serving = HttpServing.start(time, "{grace: 60s, drain: 100ms}")) {
      CompletableFuture<Void> stop;
      try (RawHttp late = serving.connect()) {
        stop = CompletableFuture.runAsync(serving::close);
        awaitNoListener(serving);
        assertThat(late.get("/v1/ids/default").rest()).contains(" 200 ");
      }
      stop.join();
    }
  }

  @SuppressWarnings("EmptyCatch")
  private static void awaitNoListener(HttpServing serving) {
    try {
      while (true) {
        serving.connect().close();
      }
    } catch (UncheckedIOException refused) {
      // that is awaited
    }
  }

  @Test
  void doesNotWaitForLongForAClientThatSendsNothing() throws Exception {
    HttpServing serving = HttpServing.start("{grace: 60s, drain: 0ms}");
    try (RawHttp silent = serving.connect()) {
      long begin = System.nanoTime();
      serving.close();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
      assertThat(silent.rest()).isEmpty();
    }
  }

  @Test
  void takesHalfOfTheGraceAtMost() throws Exception {
    HttpServing serving = HttpServing.start("{grace: 200ms, drain: 1h}");
    try (RawHttp idle = serving.connect()) {
      idle.get("/readyz").answer();
      long begin = System.nanoTime();
      serving.close();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(90));
      assertThat(idle.rest()).isEmpty();
    }
  }
}
