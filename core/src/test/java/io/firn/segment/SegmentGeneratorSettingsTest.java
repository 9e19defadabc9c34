package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SegmentGeneratorSettingsTest {

  private final TimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final SegmentFetcher fetcher = SegmentFetcher.manual(time);
  private final HandCounter counter = new HandCounter();

  private SegmentGenerator.Builder key(String key) {
    return SegmentGenerator.builder(counter, key).fetcher(fetcher).timeSource(time);
  }

  private SegmentGenerator.Builder orders() {
    return key("orders");
  }

  private static void refuses(SegmentGenerator.Builder builder, String message) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
  }

  private static void refuses(Runnable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call::run).withMessage(message);
  }

  private SegmentStats fetched(SegmentGenerator.Builder builder) {
    SegmentGenerator generator = builder.build();
    fetcher.runDue();
    return generator.stats();
  }

  @Test
  void stepIsAThousandUnlessSet() {
    assertThat(fetched(orders()).step()).isEqualTo(1_000);
    assertThat(counter.asked).containsExactly(1_000L);
  }

  @Test
  void limitsTheStep() {
    assertThat(fetched(orders().step(1)).step()).isEqualTo(1);
    assertThat(fetched(orders().step(1_000_000_000)).step()).isEqualTo(1_000_000_000);
    refuses(() -> orders().step(0), "step: 0 (expected: 1..1000000000)");
    refuses(() -> orders().step(-1), "step: -1 (expected: 1..1000000000)");
    refuses(() -> orders().step(1_000_000_001), "step: 1000000001 (expected: 1..1000000000)");
  }

  @Test
  void limitsTheBoundsOfAnAdaptiveStep() {
    assertThat(fetched(orders().adaptiveStep(1, 1_000_000_000)).step()).isEqualTo(1);
    assertThat(fetched(orders().adaptiveStep(7, 7)).step()).isEqualTo(7);
    refuses(() -> orders().adaptiveStep(0, 7), "step: 0 (expected: 1..1000000000)");
    refuses(() -> orders().adaptiveStep(7, 6), "step: 6 (expected: 7..1000000000)");
    refuses(
        () -> orders().adaptiveStep(7, 1_000_000_001),
        "step: 1000000001 (expected: 7..1000000000)");
  }

  @Test
  void limitsWhatIsKeptAhead() {
    orders().maxAhead(1_000).build();
    orders().maxAhead(1_000_000_000_000L).build();
    orders().adaptiveStep(1, 20_000_000).build();
    refuses(orders().maxAhead(999), "maxAhead: 999 (expected: 1000..1000000000000)");
    refuses(
        () -> orders().maxAhead(1_000_000_000_001L),
        "maxAhead: 1000000000001 (expected: 1..1000000000000)");
    refuses(orders().adaptiveStep(1, 10).maxAhead(9), "maxAhead: 9 (expected: 10..1000000000000)");
  }

  @Test
  void limitsTheWait() {
    orders().maxWait(Duration.ZERO).build();
    orders().maxWait(Duration.ofDays(1)).build();
    String expected = " (expected: 0ms..24h)";
    refuses(() -> orders().maxWait(Duration.ofMillis(-1)), "maxWait: PT-0.001S" + expected);
    refuses(
        () -> orders().maxWait(Duration.ofDays(1).plusMillis(1)), "maxWait: 86400001ms" + expected);
    refuses(
        () -> orders().maxWait(Duration.ofNanos(1)),
        "maxWait: PT0.000000001S (expected: 0ms..24h in whole milliseconds)");
  }

  @Test
  void limitsTheKey() {
    key("k").build();
    key("k".repeat(128)).build();
    refuses(() -> key(""), "key:  (expected: 1..128 characters)");
    refuses(
        () -> key("k".repeat(129)), "key: " + "k".repeat(129) + " (expected: 1..128 characters)");
  }

  @Test
  void takesEachSettingOnce() {
    refuses(() -> orders().step(1).step(2), "step: 2 (expected: set once, it is 1)");
    refuses(() -> orders().adaptiveStep(1, 2).step(3), "step: 3 (expected: set once, it is 1..2)");
    refuses(() -> orders().maxAhead(1).maxAhead(2), "maxAhead: 2 (expected: set once, it is 1)");
    refuses(
        () -> orders().maxWait(Duration.ZERO).maxWait(Duration.ZERO),
        "maxWait: PT0S (expected: set once, it is PT0S)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> orders().fetcher(fetcher))
        .withMessageStartingWith("fetcher: ");
    refuses(
        () -> orders().timeSource(time),
        "timeSource: " + time + " (expected: set once, it is " + time + ")");
  }
}
