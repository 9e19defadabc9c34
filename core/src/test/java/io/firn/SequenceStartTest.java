package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceStartTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  private static final int IDS = 200_000;

  private static long[] atLowTraffic(SequenceStart start, boolean handle) {
    ManualTimeSource clock = new ManualTimeSource(START, 1);
    Snowflake snowflake =
        Snowflake.builder().worker(1).sequenceStart(start).timeSource(clock).build();
    IdGenerator generator = handle ? snowflake.newHandle()::nextId : snowflake;
    long[] ids = new long[IDS];
    for (int i = 0; i < IDS; i++) {
      ids[i] = generator.nextId();
      clock.advance(Duration.ofMillis(1 + clock.random(4)));
    }
    return ids;
  }

  /** The share of the shard that gets most, where 1 is a fair one. */
  private static double worstShare(long[] ids, int shards) {
    int[] count = new int[shards];
    int most = 0;
    for (long id : ids) {
      most = Math.max(most, ++count[(int) (id % shards)]);
    }
    return (double) most * shards / ids.length;
  }

  @Test
  void spreadsEvenlyOverEveryNumberOfShardsUpTo64WhenItContinues() {
    long[] ids = atLowTraffic(SequenceStart.CONTINUE, false);
    for (int shards = 1; shards <= 64; shards++) {
      assertThat(worstShare(ids, shards)).as("%s shards", shards).isBetween(1.0, 1.1);
    }
  }

  @Test
  void spreadsHandlesAsEvenly() {
    long[] ids = atLowTraffic(SequenceStart.CONTINUE, true);
    for (int shards = 1; shards <= 64; shards++) {
      assertThat(worstShare(ids, shards)).as("%s shards", shards).isBetween(1.0, 1.1);
    }
  }

  @Test
  void sendsEverythingToOneOf64ShardsFromZero() {
    long[] ids = atLowTraffic(SequenceStart.ZERO, false);
    for (int shards = 2; shards <= 64; shards *= 2) {
      assertThat(worstShare(ids, shards)).isEqualTo(shards);
    }
  }

  @Test
  void spreadsOverTheBoundWhenRandomOrRotating() {
    assertThat(worstShare(atLowTraffic(SequenceStart.rotating(8), false), 8)).isEqualTo(1.0);
    assertThat(worstShare(atLowTraffic(SequenceStart.rotating(8), false), 16)).isEqualTo(2.0);
    assertThat(worstShare(atLowTraffic(SequenceStart.random(8), false), 8)).isBetween(1.0, 1.05);
  }

  @Test
  void beginsAnywhereWhenItContinues() {
    boolean[] seen = new boolean[16];
    for (int seed = 0; seed < 500; seed++) {
      Snowflake generator =
          Snowflake.builder().worker(1).timeSource(new ManualTimeSource(START, seed)).build();
      seen[(int) (generator.nextId() & 4095) / 256] = true;
    }
    assertThat(seen).doesNotContain(false);
  }

  @Test
  void keepsTheLowBitsFromTickToTick() {
    ManualTimeSource clock = new ManualTimeSource(START);
    Snowflake generator = Snowflake.builder().worker(1).timeSource(clock).build();
    long sequence = generator.nextId() & 4095;
    for (int i = 1; i < 10_000; i++) {
      clock.advance(Duration.ofMillis(3));
      assertThat(generator.nextId() & 4095).isEqualTo((sequence + i) & 4095);
    }
  }

  @Test
  void namesItself() {
    assertThat(SequenceStart.CONTINUE).hasToString("continue");
    assertThat(SequenceStart.ZERO).hasToString("zero");
    assertThat(SequenceStart.random(100)).hasToString("random(100)");
    assertThat(SequenceStart.rotating(2)).hasToString("rotating(2)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "continue",
        "zero",
        "random(1)",
        "random(100)",
        "rotating(2)",
        "rotating(999999999)"
      })
  void readsWhatItWrites(String text) {
    assertThat(SequenceStart.of(text)).hasToString(text);
    assertThat(SequenceStart.of(text.toUpperCase(Locale.ROOT))).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "one",
        "cont\u0131nue",
        "continue(1)",
        "random",
        "random()",
        "random(-1)",
        "random(1000000000)"
      })
  void readsNothingElse(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SequenceStart.of(text))
        .withMessage(
            "sequenceStart: %s (expected: continue, zero, random(N) or rotating(N), N below 10^9)",
            text);
  }

  @Test
  void readsNoBoundOfNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SequenceStart.of("random(0)"))
        .withMessage("bound: 0 (expected: at least 1)");
  }

  @Test
  void isEqualToTheSameRuleWithTheSameBound() {
    assertThat(SequenceStart.of("rotating(2)"))
        .isEqualTo(SequenceStart.rotating(2))
        .hasSameHashCodeAs(SequenceStart.rotating(2))
        .isNotEqualTo(SequenceStart.rotating(3))
        .isNotEqualTo(SequenceStart.random(2));
  }
}
