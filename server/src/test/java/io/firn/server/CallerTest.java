package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.firn.server.config.TokenConfig;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class CallerTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
  private final Caller caller =
      new Caller(
          new TokenConfig("billing", "secret", List.of("orders")), OptionalInt.of(100), time);

  @Test
  void mayTakeASecondsWorthAtOnceAndNoMore() {
    takes(99);
    takes(1);
    refuses(1);
  }

  @Test
  void mayTakeNoMoreThanASecondsWorthAfterALongRest() {
    time.advance(Duration.ofHours(1));
    refuses(101);
    takes(100);
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
  void losesNothingByARefusal() {
    refuses(101);
    refuses(Integer.MAX_VALUE);
    takes(100);
  }

  private void takes(int count) {
    assertThatNoException().isThrownBy(() -> caller.require("orders", count));
  }

  private void refuses(int count) {
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> caller.require("orders", count))
        .withMessage("rate: " + count + " more (expected: at most 100 IDs a second)")
        .matches(refusal -> refusal.kind() == RequestException.Kind.TOO_MANY);
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
