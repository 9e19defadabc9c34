package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Tests of the number of events that a rate permits. */
final class RateTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final Rate rate = new Rate(10, time);

  @Test
  void permitsASecondsWorthAtOnce() {
    assertThat(rate.take(11)).isFalse();
    assertThat(rate.take(10)).isTrue();
    assertThat(rate.take(1)).isFalse();
    time.advance(Duration.ofMillis(100));
    assertThat(rate.take(1)).isTrue();
    assertThat(rate.take(1)).isFalse();
  }
}
