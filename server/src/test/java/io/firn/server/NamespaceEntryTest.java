package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.ServerConfig;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of a namespace that fails to open and is retried. */
final class NamespaceEntryTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void isTriedAgainAfterAnError() {
    ServerConfig config = RunningServer.config("redis");
    NamespaceEntry entry =
        new NamespaceEntry(
            "orders",
            config.defaults(),
            () -> {
              attempts.incrementAndGet();
              throw new NoClassDefFoundError("a driver");
            },
            time);
    open(entry);
    open(entry);
    assertThat(attempts).hasValue(1);
    assertThat(entry.status().outage().orElseThrow()).contains("NoClassDefFoundError: a driver");
    time.advance(Duration.ofNanos(entry.retryInNanos()));
    open(entry);
    assertThat(attempts).hasValue(2);
  }

  private static void open(NamespaceEntry entry) {
    CompletableFuture<OpenNamespace> opening = entry.open(Runnable::run);
    assertThat(opening).isCompletedExceptionally();
  }
}
