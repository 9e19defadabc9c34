package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.firn.server.config.TokenConfig;
import io.firn.server.config.TokenScope;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class CallerTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
  private final Caller caller = new Caller(token(OptionalInt.of(100)), time);

  private static TokenConfig token(OptionalInt rate) {
    return new TokenConfig(
        "billing",
        "secret",
        List.of("orders"),
        Set.of(TokenScope.ISSUE),
        false,
        rate,
        OptionalInt.of(1));
  }

  @Test
  void mayTakeASecondsWorthAtOnceAndNoMore() {
    takes(99);
    takes(1);
    refuses(1);
  }

  @Test
  void mayTakeNoMoreThanASecondsWorthAfterALongRest() {
    time.advance(Duration.ofHours(1));
    takes(51);
    refuses(50);
    takes(49);
    refuses(1);
  }

  @Test
  void earnsAsTimePasses() {
    takes(100);
    time.advance(Duration.ofMillis(9));
    refuses(1);
    time.advance(Duration.ofMillis(1));
    takes(1);
    refuses(1);
    time.advance(Duration.ofMillis(500));
    takes(50);
    refuses(1);
  }

  @Test
  void aReloadIsNoNewSecondsWorthUnlessItChangesTheRate() {
    takes(100);
    caller.update(token(OptionalInt.of(100)));
    refuses(1);
    caller.update(token(OptionalInt.of(50)));
    takes(50);
  }

  @Test
  void aRateThatIsRemovedMeanwhileIsNamedInTheRefusal() {
    AtomicReference<Runnable> atReading = new AtomicReference<>(() -> {});
    Caller limited = new Caller(token(OptionalInt.of(100)), new ReadClock(time, atReading));
    limited.require("orders", 100);
    atReading.set(() -> limited.update(token(OptionalInt.empty())));
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> limited.require("orders", 1))
        .withMessage("rate: 1 more (expected: at most 100 IDs a second)");
    assertThatNoException().isThrownBy(() -> limited.require("orders", 1000));
  }

  /** A clock at whose readings something happens. */
  private static final class ReadClock extends ForwardingTimeSource {

    private final AtomicReference<Runnable> atReading;

    ReadClock(TimeSource clock, AtomicReference<Runnable> atReading) {
      super(clock);
      this.atReading = atReading;
    }

    @Override
    public long nanoTime() {
      atReading.get().run();
      return super.nanoTime();
    }
  }

  @Test
  void losesNothingByARefusal() {
    takes(50);
    refuses(51);
    refuses(100);
    takes(50);
  }

  @Test
  void countAboveTheRateIsRefusedForGood() {
    for (int count : new int[] {101, Integer.MAX_VALUE}) {
      assertThatExceptionOfType(RequestException.class)
          .isThrownBy(() -> caller.require("orders", count))
          .withMessage("count: " + count + " (expected: 1..100, the IDs a second of token billing)")
          .matches(refusal -> refusal.kind() == RequestException.Kind.BAD_REQUEST)
          .matches(refusal -> refusal.retrySeconds().isEmpty());
    }
    takes(100);
  }

  @Test
  void connectionsOfATokenAreLimited() {
    caller.connect();
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(caller::connect)
        .withMessage("connections: one more (expected: at most 1 with token billing)");
    caller.disconnect();
    assertThatNoException().isThrownBy(caller::connect);
  }

  @Test
  void mayDoWhatItsTokenIsForOnly() {
    assertThatNoException().isThrownBy(() -> caller.require(TokenScope.ISSUE));
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> caller.require(TokenScope.READ))
        .withMessage("token: billing (expected: a token with the scope read among its scopes)")
        .matches(refusal -> refusal.kind() == RequestException.Kind.FORBIDDEN);
  }

  private void takes(int count) {
    assertThatNoException().isThrownBy(() -> caller.require("orders", count));
  }

  private void refuses(int count) {
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> caller.require("orders", count))
        .withMessage("rate: " + count + " more (expected: at most 100 IDs a second)")
        .matches(refusal -> refusal.kind() == RequestException.Kind.TOO_MANY)
        .matches(refusal -> refusal.retrySeconds().getAsLong() == 1);
  }

  @Test
  void mayUseItsNamespacesOnly() {
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> caller.require("refunds", 1))
        .withMessage("namespace: refunds (expected: one of orders, which token billing may use)")
        .matches(refusal -> refusal.kind() == RequestException.Kind.FORBIDDEN);
    assertThat(caller.name()).isEqualTo("billing");
  }
}
