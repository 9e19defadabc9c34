package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.server.config.SnowflakeConfig;
import io.firn.testkit.SwitchedStore;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The times of waiting requests, in a layout with 256 IDs in each tick of 10 ms. */
@Timeout(60)
final class DrawQueueTest {

  private static final Duration TICK = Duration.ofMillis(10);

  private final HeldClock clock = new HeldClock();
  private final EmbeddedChannel loop = new EmbeddedChannel();
  private final OpenNamespace narrow = open();

  private OpenNamespace open() {
    SnowflakeConfig config =
        (SnowflakeConfig)
            RunningServer.config("redis", "defaults: {layout: sonyflake, window: 10m}")
                .namespace("narrow")
                .orElseThrow();
    NamespaceEvents events = new NamespaceEvents(clock);
    Snowflake generator =
        config
            .settings()
            .leased(LeaseConfig.builder(new SwitchedStore(), "narrow").listener(events))
            .timeSource(clock)
            .build();
    loop.freezeTime();
    return new OpenSnowflakes(
        "narrow",
        config,
        generator,
        events,
        new OpenNamespace.Waiting(loop.eventLoop(), clock, new Backlog(1 << 20)));
  }

  @AfterEach
  void close() {
    narrow.close(RequestException.stopping());
    loop.finishAndReleaseAll();
  }

  private void passATick() {
    clock.advance(TICK);
    loop.advanceTimeBy(TICK.toNanos(), TimeUnit.NANOSECONDS);
    loop.runPendingTasks();
  }

  /** They have half of the IDs of each tick. */
  @Test
  void aLongRequestIsAnsweredWhileShortOnesKeepComing() throws Exception {
    CompletableFuture<long[]> draw = narrow.nextIds(3 * 25_600);
    for (int ticks = 0; !draw.isDone() && ticks < 1_000; ticks++) {
      while (narrow.waiting() < 40) {
        var unused = narrow.nextIds(16);
      }
      passATick();
    }
    assertThat(draw.get()).hasSize(3 * 25_600);
  }

  /** Each of them has as many turns as it has. */
  @Test
  void aLongRequestIsRefusedAfterTwentyOneSecondsWhileLaterOnesKeepComing() {
    CompletableFuture<long[]> draw = narrow.nextIds(10_000);
    for (int ticks = 0; ticks < 2_100; ticks++) {
      assertThat(draw).as("after %d ticks", ticks).isNotDone();
      while (narrow.waiting() < 380) {
        var unused = narrow.nextIds(640);
      }
      passATick();
    }
    assertThatThrownBy(draw::join)
        .hasRootCauseMessage("Namespace narrow did not issue 10000 IDs within 21000 ms");
  }

  /** They take turns with it, and need eight seconds together. */
  @Test
  void aLongRequestIsAnsweredWhileLaterOnesWait() {
    List<CompletableFuture<long[]>> draws =
        IntStream.range(0, 20).mapToObj(i -> narrow.nextIds(10_000)).toList();
    for (int ticks = 0; narrow.waiting() > 0 && ticks < 1_000; ticks++) {
      passATick();
    }
    assertThat(draws).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  /** The IDs of that time are lost. */
  @Test
  void aLongRequestIsAnsweredThoughTheProcessWasSuspendedForAMinute() throws Exception {
    CompletableFuture<long[]> draw = narrow.nextIds(10_000);
    passATick();
    clock.advance(Duration.ofMinutes(1));
    for (int ticks = 0; !draw.isDone() && ticks < 100; ticks++) {
      passATick();
    }
    assertThat(draw.get()).hasSize(10_000);
  }
}
