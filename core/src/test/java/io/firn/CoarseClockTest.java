package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.internal.LeaseWindow;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.time.CoarseClocks;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Generators on a clock that is late: IDs stay unique and in order, and never wait for it. */
class CoarseClockTest {

  private static final IdLayout LAYOUT = IdLayout.of("41t+10w+2s@2026-01-01T00:00:00Z/1ms");
  private static final Instant START = LAYOUT.epoch().plus(Duration.ofDays(365));

  private final ManualTimeSource precise = new ManualTimeSource(START);
  private final CoarseClocks clocks = new CoarseClocks(precise).begin();

  private Snowflake fixed() {
    return Snowflake.builder()
        .layout(LAYOUT)
        .worker(1)
        .sequenceStart(SequenceStart.ZERO)
        .timeSource(clocks.clock())
        .build();
  }

  private static long millis(long id) {
    return LAYOUT.parse(id).instant().toEpochMilli();
  }

  private long now() {
    return precise.currentTimeMillis();
  }

  @Test
  void issuesInATickUntilTheClockIsReadAgain() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    long begin = now();
    assertThat(millis(ids.nextId())).isEqualTo(begin);
    precise.advance(Duration.ofMillis(5));
    assertThat(millis(ids.nextId())).isEqualTo(begin);
    clocks.tick();
    assertThat(millis(ids.nextId())).isEqualTo(now());
  }

  @Test
  void takesTheNextTickFromThePreciseClockWhereTheTickerIsStopped() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    long begin = now();
    for (int i = 0; i < 4; i++) {
      assertThat(millis(ids.nextId())).isEqualTo(begin);
    }
    precise.advance(Duration.ofMillis(7));
    long beforeNanos = precise.nanoTime();
    for (int i = 0; i < 4; i++) {
      assertThat(millis(ids.nextId())).isEqualTo(now());
    }
    assertThat(precise.nanoTime()).isEqualTo(beforeNanos); // none of them waited
    assertThat(millis(ids.nextId())).isEqualTo(now()).isEqualTo(begin + 8);
  }

  @Test
  void ignoresAMillisecondThatIsFarAhead() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    precise.step(Duration.ofHours(1));
    long unused = clocks.clock().currentTimeMillis(); // and keeps it
    precise.step(Duration.ofHours(-1));
    assertThat(millis(ids.nextId())).isEqualTo(now());
  }

  @Test
  void issuesItsFirstIdAfterAnHourWithTheTimeOfTheClock() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    long unused = ids.nextId();
    clocks.tick();
    precise.advance(Duration.ofHours(1));
    assertThat(millis(ids.nextId())).isEqualTo(now());
  }

  @Test
  void repeatsNothingAfterARestart() {
    Set<Long> issued = new HashSet<>();
    for (int restart = 0; restart < 20; restart++) {
      Snowflake ids = fixed();
      for (int i = 0; i < 7; i++) {
        assertThat(issued.add(ids.nextId())).isTrue();
      }
      precise.advance(Duration.ofMillis(restart % 3));
    }
  }

  @Test
  void handlesUseItToo() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    SnowflakeHandle handle = ids.newHandle();
    List<Long> issued = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      issued.add(handle.nextId());
      assertThat(millis(issued.get(i))).isLessThanOrEqualTo(now());
      if (i % 10 == 0) {
        clocks.tick();
      }
    }
    assertThat(issued).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void readsThePreciseClockForEachIdOnceItHasOpenedAScope() {
    try (Snowflake ids =
        Snowflake.builder()
            .layout(LAYOUT)
            .lease(new InMemoryRegisterStore(), "orders")
            .timeSource(clocks.clock())
            .build()) {
      precise.advance(Duration.ofMillis(1));
      long first = ids.nextId();
      try (IdScope scope = ids.scope()) {
        precise.advance(Duration.ofMillis(5));
        assertThat(millis(scope.nextId())).isEqualTo(now()).isGreaterThan(millis(first));
      }
    }
  }

  @Test
  void readsThePreciseClockForEachIdOnceItsLeaseHasPublishedALowMark() {
    Snowflake ids = fixed();
    precise.advance(Duration.ofMillis(1));
    LeaseWindow window = new LeaseWindow(1, 0, now() + 60_000, 0);
    assertThat(new LeasedSnowflake(ids, window).lowMillis(now())).isEqualTo(now());
    long unused = ids.nextId();
    precise.advance(Duration.ofMillis(5));
    assertThat(millis(ids.nextId())).isEqualTo(now());
  }

  /** Ticks, pauses and steps in any order, with a ticker that stalls. */
  @Test
  void staysUniqueInOrderAndNeverAheadOfTheClock() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Snowflake ids = fixed();
      long last = 0;
      long newest = now();
      for (int i = 0; i < 200; i++) {
        switch (random.nextInt(5)) {
          case 0 -> precise.advance(Duration.ofNanos(random.nextInt(3_000_000)));
          case 1 -> clocks.tick();
          case 2 -> precise.step(Duration.ofMillis(random.nextInt(20) - 8));
          default -> {
            long id = ids.nextId();
            newest = Math.max(newest, now());
            assertThat(id).as("seed %d, step %d", seed, i).isGreaterThan(last);
            assertThat(millis(id)).as("seed %d, step %d", seed, i).isLessThanOrEqualTo(newest);
            last = id;
          }
        }
        newest = Math.max(newest, now());
      }
    }
  }

  @Test
  void isSharedByThreadsAndGenerators() throws InterruptedException {
    Snowflake ids = Snowflake.builder().worker(1).timeSource(TimeSource.coarse()).build();
    long[][] issued = new long[4][20_000];
    List<Thread> threads = new ArrayList<>();
    for (long[] own : issued) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < own.length; i++) {
                  own[i] = ids.nextId();
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (long[] own : issued) {
      assertThat(own).isSorted();
    }
    assertThat(List.of(issued).stream().flatMapToLong(LongStream::of).distinct().count())
        .isEqualTo(80_000);
  }
}
