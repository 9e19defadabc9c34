package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of the traffic counters. */
final class TrafficTest {

  private final Traffic traffic = new Traffic();

  @Test
  void aRequestIsInTheBucketWhoseBoundItDoesNotPass() {
    traffic.answered(1, 0, 9_999);
    traffic.answered(1, 0, 10_000);
    traffic.answered(1, 0, 10_001);
    Traffic.Times times = traffic.times();
    assertThat(times.boundMicros()).startsWith(10L, 25L).isSorted();
    assertThat(times.counts()).startsWith(2L, 1L, 0L).hasSize(times.boundMicros().size() + 1);
    assertThat(times.sumNanos()).isEqualTo(30_000);
  }

  @Test
  void requestsThatTakeForeverAreInTheLastBucket() {
    traffic.answered(1, 0, 10_000_000_000L);
    traffic.answered(1, 0, 10_000_000_001L);
    assertThat(traffic.times().counts()).endsWith(1L, 1L);
  }

  @Test
  void aPipelineCountsEachRequest() {
    traffic.answered(16, 0, 20_000);
    assertThat(traffic.times().counts()).startsWith(0L, 16L, 0L);
    assertThat(traffic.times().sumNanos()).isEqualTo(16 * 20_000);
  }

  @Test
  void connectionsComeAndGo() {
    traffic.opened();
    traffic.opened();
    traffic.closed();
    assertThat(traffic.connections()).isEqualTo(1);
  }

  @Test
  void aRefusalIsAnAnswerToo() {
    traffic.answered(3, 2, 20_000);
    assertThat(traffic.refusals()).isEqualTo(2);
    assertThat(traffic.times().counts()).startsWith(0L, 3L, 0L);
  }
}
