package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockPolicyTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private final ManualTimeSource clock = new ManualTimeSource(START);

  private Snowflake with(ClockPolicy clockPolicy) {
    return Snowflake.builder()
        .layout(IdLayout.LEAF)
        .worker(1)
        .clockPolicy(clockPolicy)
        .timeSource(clock)
        .build();
  }

  /** After an ID of this millisecond, the clock steps back. */
  private void waitsUpTo(int tolerance, ClockPolicy clockPolicy) {
    for (int back = Math.max(1, tolerance - 1); back <= tolerance + 1; back++) {
      Snowflake generator = with(clockPolicy);
      long before = generator.nextId();
      long reading = clock.currentTimeMillis();
      clock.step(Duration.ofMillis(-back));
      if (back <= tolerance) {
        assertThat(generator.nextId()).isEqualTo(before + 1);
        assertThat(clock.currentTimeMillis()).isEqualTo(reading);
      } else {
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(generator::nextId)
            .withMessage(
                "The clock moved backwards by "
                    + back
                    + " ms (maxLead is 0 ms, maxWait is "
                    + tolerance
                    + " ms); synchronize it, or raise maxLead");
        assertThat(clock.currentTimeMillis()).isEqualTo(reading - back);
        clock.step(Duration.ofMillis(back));
        assertThat(generator.nextId()).isEqualTo(before + 1);
      }
    }
  }

  @Test
  void twitterWaitsForNoClock() {
    waitsUpTo(0, ClockPolicy.TWITTER);
  }

  @Test
  void leafWaitsUpToFiveMilliseconds() {
    waitsUpTo(5, ClockPolicy.LEAF);
  }

  @Test
  void shardingSphereWaitsUpToItsTolerance() {
    waitsUpTo(10, ClockPolicy.shardingSphere(Duration.ofMillis(10), 1));
    waitsUpTo(0, ClockPolicy.shardingSphere(Duration.ZERO, 1));
    waitsUpTo(1, ClockPolicy.shardingSphere(Duration.ofMillis(1), 1));
  }

  @Test
  void baiduBorrowsUpToItsLead() {
    for (int back = 9; back <= 11; back++) {
      Snowflake generator = with(ClockPolicy.baidu(Duration.ofMillis(10)));
      generator.nextId();
      clock.advance(Duration.ofMillis(100));
      long before = generator.nextId();
      clock.step(Duration.ofMillis(-back));
      long reading = clock.currentTimeMillis();
      if (back <= 10) {
        assertThat(generator.nextId()).isEqualTo(before + 1);
      } else {
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(generator::nextId)
            .withMessage(
                "The clock moved backwards by 11 ms (maxLead is 10 ms, maxWait is 0 ms);"
                    + " synchronize it, or raise maxLead");
      }
      assertThat(clock.currentTimeMillis()).isEqualTo(reading);
    }
  }

  @Test
  void baiduServesABurstFromTheFuture() {
    Snowflake generator = with(ClockPolicy.baidu(Duration.ofMillis(10)));
    generator.nextId();
    long reading = clock.currentTimeMillis();
    long[] burst = new long[11 * 4096];
    generator.nextIds(burst, 0, 4095);
    assertThat(clock.currentTimeMillis()).isEqualTo(reading);
    generator.nextIds(burst);
    assertThat(clock.currentTimeMillis()).isEqualTo(reading + 11);
    assertThat(generator.stats().lead()).isEqualTo(Duration.ofMillis(10));
  }

  @Test
  void twitterStartsEachTickAtZero() {
    Snowflake generator = with(ClockPolicy.TWITTER);
    for (int i = 0; i < 100; i++) {
      assertThat(generator.nextId() & 4095).isZero();
      assertThat(generator.nextId() & 4095).isEqualTo(1);
      clock.advance(Duration.ofMillis(1));
    }
  }

  @Test
  void leafStartsTicksAtEveryNumberBelowAHundred() {
    Snowflake generator = with(ClockPolicy.LEAF);
    Set<Long> starts = new HashSet<>();
    for (int i = 0; i < 5_000; i++) {
      starts.add(generator.nextId() & 4095);
      clock.advance(Duration.ofMillis(1));
    }
    assertThat(starts).hasSize(100).allMatch(start -> start < 100);
  }

  @Test
  void shardingSphereVibrates() {
    ManualTimeSource zero = new ManualTimeSource(IdLayout.SHARDINGSPHERE.epoch());
    Snowflake generator =
        Snowflake.builder()
            .layout(IdLayout.SHARDINGSPHERE)
            .worker(0)
            .clockPolicy(ClockPolicy.shardingSphere(Duration.ofMillis(10), 1))
            .timeSource(zero)
            .build();
    long first = 1L << 22;
    for (long expected : new long[] {0, 4194305, 8388608, 12582913, 16777216}) {
      assertThat(generator.nextId() - first).isEqualTo(expected);
      zero.advance(Duration.ofMillis(1));
    }
  }

  @Test
  void shardingSphereVibratesUpToItsOffset() {
    Snowflake generator = with(ClockPolicy.shardingSphere(Duration.ZERO, 3));
    for (int i = 0; i < 100; i++) {
      assertThat(generator.nextId() & 4095).isEqualTo(i % 4);
      clock.advance(Duration.ofMillis(1));
    }
    Snowflake steady = with(ClockPolicy.shardingSphere(Duration.ZERO, 0));
    for (int i = 0; i < 10; i++) {
      assertThat(steady.nextId() & 4095).isZero();
      clock.advance(Duration.ofMillis(1));
    }
    with(ClockPolicy.shardingSphere(Duration.ZERO, 4095));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> with(ClockPolicy.shardingSphere(Duration.ZERO, 4096)))
        .withMessage(
            "sequenceStart: rotating(4097) (expected: a bound in 1..4096, the layout has 12"
                + " sequence bits)");
  }

  @Test
  void refusesAVibrationThatHasNoBound() {
    for (long offset : new long[] {-1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ClockPolicy.shardingSphere(Duration.ZERO, offset))
          .withMessage(
              "maxVibrationOffset: " + offset + " (expected: 0.." + (Long.MAX_VALUE - 1) + ")");
    }
  }

  @Test
  void readsPoliciesByName() {
    assertThat(ClockPolicy.of("Twitter")).isEqualTo(ClockPolicy.TWITTER);
    assertThat(ClockPolicy.of("leaf")).isEqualTo(ClockPolicy.LEAF);
    assertThat(ClockPolicy.of("shardingsphere(10ms,1)"))
        .isEqualTo(ClockPolicy.shardingSphere(Duration.ofMillis(10), 1));
    assertThat(ClockPolicy.of("baidu(2s)")).isEqualTo(ClockPolicy.baidu(Duration.ofSeconds(2)));
    assertThat(ClockPolicy.of("baidu(1m)")).isEqualTo(ClockPolicy.baidu(Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "twitter",
        "leaf",
        "shardingsphere(10ms,1)",
        "shardingsphere(0ms,0)",
        "baidu(1500ms)",
        "baidu(1m)"
      })
  void writesWhatItReads(String text) {
    assertThat(ClockPolicy.of(text)).hasToString(text);
  }

  @Test
  void writesThePartsOfAPolicyWithoutAName() {
    assertThat(new ClockPolicy(Duration.ofSeconds(1), Duration.ofMillis(5), SequenceStart.CONTINUE))
        .hasToString("maxLead=1s,maxWait=5ms,sequenceStart=continue");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "uid", "baidu", "baidu(1d)", "shardingsphere(10ms)", "baidu(1234567890s)"})
  void readsNoOtherPolicy(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClockPolicy.of(text))
        .withMessage(
            "clockPolicy: "
                + text
                + " (expected: twitter, leaf, shardingsphere(10ms,1) or baidu(1s), numbers below"
                + " 10^9)");
  }
}
