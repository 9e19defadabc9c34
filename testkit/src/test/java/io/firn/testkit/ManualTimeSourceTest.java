package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ManualTimeSourceTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  private final ManualTimeSource clock = new ManualTimeSource(START);

  private long sinceStart() {
    return clock.currentTimeMillis() - START.toEpochMilli();
  }

  @Test
  void movesOnlyWhenMoved() {
    assertThat(sinceStart()).isZero();
    clock.advance(Duration.ofMillis(5));
    assertThat(sinceStart()).isEqualTo(5);
    assertThat(clock.nanoTime()).isEqualTo(5_000_000);
    clock.step(Duration.ofMillis(-7));
    assertThat(sinceStart()).isEqualTo(-2);
    assertThat(clock.nanoTime()).isEqualTo(5_000_000);
  }

  @Test
  void addsUpFractionsOfAMillisecond() {
    for (int i = 0; i < 5; i++) {
      assertThat(sinceStart()).isZero();
      clock.parkNanos(200_000);
    }
    assertThat(sinceStart()).isEqualTo(1);
  }

  @Test
  void continuesFromWhereItWasStopped() {
    for (int i = 0; i < 10; i++) {
      clock.freeze();
      clock.parkNanos(999_999);
      clock.freeze();
      assertThat(sinceStart()).isZero();
      clock.thaw();
      assertThat(sinceStart()).isZero();
      clock.thaw();
      assertThat(sinceStart()).isZero();
    }
    assertThat(clock.nanoTime()).isEqualTo(9_999_990);
    clock.parkNanos(1_000_000);
    assertThat(sinceStart()).isEqualTo(1);
  }

  @Test
  void stepsWhileStopped() {
    clock.freeze();
    clock.step(Duration.ofMillis(3));
    assertThat(sinceStart()).isEqualTo(3);
    clock.thaw();
    assertThat(sinceStart()).isEqualTo(3);
  }

  @Test
  void drawsTheSameNumbersFromTheSameSeed() {
    assertThat(numbers(1)).isEqualTo(numbers(1)).isNotEqualTo(numbers(2));
    assertThat(numbers(1)).allMatch(number -> number >= 0 && number < 10).contains(0L, 9L);
  }

  private static List<Long> numbers(long seed) {
    ManualTimeSource source = new ManualTimeSource(START, seed);
    return LongStream.generate(() -> source.random(10)).limit(200).boxed().toList();
  }
}
