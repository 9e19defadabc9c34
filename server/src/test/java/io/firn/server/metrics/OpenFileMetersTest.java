package io.firn.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Tests of {@link OpenFileMeters}. */
final class OpenFileMetersTest {

  @Test
  void aCountIsOldAfterTenSeconds() {
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    AtomicLong count = new AtomicLong(5);
    LongSupplier recent = new OpenFileMeters(time).recent(count::get);
    count.set(7);
    time.advance(OpenFileMeters.MAX_AGE.minusNanos(1));
    assertThat(recent.getAsLong()).isEqualTo(5);
    time.advance(Duration.ofNanos(1));
    assertThat(recent.getAsLong()).isEqualTo(7);
  }
}
