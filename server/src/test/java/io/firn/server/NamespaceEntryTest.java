package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of a namespace that fails to open and is retried. */
final class NamespaceEntryTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void isTriedAgainAfterAnError() {
    NamespaceEntry entry = failing();
    open(entry);
    open(entry);
    assertThat(attempts).hasValue(1);
    assertThat(entry.status().outage().orElseThrow()).contains("NoClassDefFoundError: a driver");
    time.advance(Duration.ofNanos(entry.retryInNanos()));
    open(entry);
    assertThat(attempts).hasValue(2);
  }

  @Test
  void refusesRequestsAtOnceWhileAnAttemptLastsLongerThanTheyWait() {
    Deque<Runnable> attempts = new ArrayDeque<>();
    NamespaceEntry entry = failing();
    CompletableFuture<OpenNamespace> first = entry.openForRequest(attempts::add);
    time.advance(Duration.ofSeconds(20));
    assertThat(entry.openForRequest(attempts::add)).isNotDone();
    time.advance(Duration.ofSeconds(1));
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> entry.openForRequest(attempts::add).join())
        .havingCause()
        .withMessage("Namespace orders did not open and answer within 21000 ms");
    assertThat(first).isNotDone();
    assertThat(attempts).hasSize(1);
  }

  /** It says nothing about now. */
  @Test
  void forgetsAFailureAfterWhichNoOneTriedForLong() {
    Deque<Runnable> attempts = new ArrayDeque<>();
    NamespaceEntry entry = failing();
    open(entry);
    time.advance(Duration.ofSeconds(10));
    assertThat(entry.openForRequest(attempts::add)).isCompletedExceptionally();
    attempts.remove().run();
    time.advance(Duration.ofSeconds(11));
    assertThat(entry.openForRequest(attempts::add)).isNotDone();
    assertThat(entry.status().outage()).contains("Namespace orders is being opened");
  }

  /** The source has answered, so that a request waits for its next answer. */
  @Test
  void asksAgainForAKeyThatWasUnknown() {
    Deque<Runnable> attempts = new ArrayDeque<>();
    NamespaceEntry entry =
        new NamespaceEntry(
            "orders",
            RunningServer.config("redis").defaults(),
            () -> {
              throw new RequestException(RequestException.Kind.NOT_FOUND, "no such key");
            },
            time);
    open(entry);
    time.advance(Duration.ofSeconds(1));
    assertThat(entry.openForRequest(attempts::add)).isNotDone();
  }

  private NamespaceEntry failing() {
    return new NamespaceEntry(
        "orders",
        RunningServer.config("redis").defaults(),
        () -> {
          attempts.incrementAndGet();
          throw new NoClassDefFoundError("a driver");
        },
        time);
  }

  private static void open(NamespaceEntry entry) {
    CompletableFuture<OpenNamespace> opening = entry.open(Runnable::run);
    assertThat(opening).isCompletedExceptionally();
  }
}
