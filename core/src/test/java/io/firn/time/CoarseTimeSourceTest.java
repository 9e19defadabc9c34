package io.firn.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Clocks;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CoarseTimeSourceTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final ManualTimeSource precise = new ManualTimeSource(START);
  private final CoarseClocks clocks = new CoarseClocks(precise);
  private final TimeSource coarse = clocks.clock();

  @Test
  void startsTheTickerAtTheSecondReadingInOneMillisecond() {
    for (int i = 0; i < 10; i++) {
      assertThat(coarse.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
      precise.advance(MILLI);
    }
    assertThat(clocks.started()).isZero();
    long unused = coarse.currentTimeMillis();
    assertThat(clocks.started()).isZero();
    unused = coarse.currentTimeMillis();
    assertThat(clocks.started()).isEqualTo(1);
  }

  @Test
  void readsTheClockWhileTheTickerHasNotBegun() {
    long unused = coarse.currentTimeMillis() + coarse.currentTimeMillis();
    precise.advance(MILLI);
    assertThat(coarse.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
    assertThat(clocks.started()).isEqualTo(1);
  }

  @Test
  void keepsAReadingUntilTheNextTick() {
    clocks.begin();
    assertThat(coarse.currentTimeMillis()).isEqualTo(START.toEpochMilli());
    precise.advance(Duration.ofMillis(3));
    assertThat(coarse.currentTimeMillis()).isEqualTo(START.toEpochMilli());
    clocks.tick();
    assertThat(coarse.currentTimeMillis()).isEqualTo(START.toEpochMilli() + 3);
  }

  @Test
  void readsTheClockFirstAfterAPause() {
    clocks.begin();
    long unused = coarse.currentTimeMillis();
    clocks.tick();
    precise.advance(Duration.ofHours(1));
    assertThat(coarse.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
  }

  @Test
  void followsAClockThatStepsBack() {
    clocks.begin();
    long unused = coarse.currentTimeMillis();
    precise.step(Duration.ofHours(-1));
    clocks.tick();
    assertThat(coarse.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
  }

  @Test
  void keepsNoReadingBefore1970() {
    ManualTimeSource early = new ManualTimeSource(Instant.ofEpochMilli(-5));
    TimeSource source = new CoarseClocks(early).begin().clock();
    for (int i = 0; i < 3; i++) {
      assertThat(source.currentTimeMillis()).isEqualTo(early.currentTimeMillis());
      early.advance(MILLI);
    }
  }

  @Test
  void endsTheTickerAfterASecondWithoutReadersAndStartsAnother() {
    List<Thread> tickers = new ArrayList<>();
    CoarseTimeSource source =
        new CoarseTimeSource(
            precise,
            work -> {
              Thread thread = new Thread(work);
              tickers.add(thread);
              thread.start();
            });
    for (int round = 1; round <= 2; round++) {
      while (tickers.size() < round) {
        long unused = source.currentTimeMillis();
      }
      joined(tickers.get(round - 1));
      precise.advance(MILLI);
      assertThat(source.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
    }
    assertThat(precise.nanoTime())
        .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2 * CoarseTimeSource.IDLE_TICKS / 10));
  }

  private static void joined(Thread thread) {
    try {
      thread.join(TimeUnit.NANOSECONDS.toMillis(MAX_WAIT_NANOS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void readsTheClockWhereNoThreadCanStart() {
    List<Runnable> asked = new ArrayList<>();
    CoarseTimeSource source =
        new CoarseTimeSource(
            precise,
            work -> {
              asked.add(work);
              throw new OutOfMemoryError("unable to create native thread");
            });
    for (int i = 0; i < 5; i++) {
      assertThat(source.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
      assertThat(source.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
      precise.advance(MILLI);
    }
    assertThat(asked).hasSize(5);
  }

  @Test
  void readsTheClockAfterATickerThatFailed() {
    List<Runnable> tickers = new ArrayList<>();
    Clocks failing =
        new Clocks(precise)
            .onPark(
                () -> {
                  throw new IllegalStateException("no park");
                });
    CoarseTimeSource source = new CoarseTimeSource(failing, tickers::add);
    long unused = source.currentTimeMillis() + source.currentTimeMillis();
    assertThat(tickers).hasSize(1);
    assertThatThrownBy(tickers.get(0)::run).hasMessage("no park");
    for (int i = 0; i < 3; i++) {
      assertThat(source.currentTimeMillis()).isEqualTo(precise.currentTimeMillis());
      precise.advance(MILLI);
    }
  }

  /** An interrupted thread does not park. */
  @Test
  void parksAgainAfterAnInterrupt() {
    List<Runnable> tickers = new ArrayList<>();
    List<Boolean> interrupted = new ArrayList<>();
    Clocks interrupting =
        new Clocks(precise)
            .onPark(
                () -> {
                  interrupted.add(Thread.currentThread().isInterrupted());
                  Thread.currentThread().interrupt();
                });
    CoarseTimeSource source = new CoarseTimeSource(interrupting, tickers::add);
    long unused = source.currentTimeMillis() + source.currentTimeMillis();
    tickers.get(0).run();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted).hasSizeGreaterThan(2).containsOnly(false);
  }

  @Test
  void hasOneDaemonInAProcessWhichEnds() {
    TimeSource source = TimeSource.coarse();
    assertThat(source).isSameAs(TimeSource.coarse());
    assertThat(source.precise()).isSameAs(TimeSource.system());
    long begin = source.nanoTime();
    List<Thread> running = List.of();
    while (running.size() != 1) { // one that ends may overlap with the next
      for (int i = 0; i < 100_000; i++) {
        long unused = source.currentTimeMillis();
      }
      running = tickers();
      assertThat(source.nanoTime() - begin).isLessThan(MAX_WAIT_NANOS);
    }
    assertThat(running).allMatch(Thread::isDaemon);
    while (!tickers().isEmpty()) {
      source.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      assertThat(source.nanoTime() - begin).isLessThan(2 * MAX_WAIT_NANOS);
    }
  }

  private static List<Thread> tickers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("firn-clock"))
        .toList();
  }

  @Test
  void givesAllElseToThePreciseSource() {
    assertThat(coarse.nanoTime()).isEqualTo(precise.nanoTime());
    coarse.parkNanos(5);
    coarse.parkUntil(START.toEpochMilli() + 3, START.toEpochMilli());
    assertThat(precise.nanoTime()).isEqualTo(5 + 2_000_000);
    assertThat(coarse.random(1)).isZero();
    byte[] bytes = new byte[32];
    coarse.randomBytes(bytes);
    assertThat(bytes).isNotEqualTo(new byte[32]);
  }

  @Test
  void parksUntilTheMillisecondBeginsOnTheMachinesClock() {
    TimeSource system = TimeSource.system();
    long due = system.currentTimeMillis() + 3;
    for (long now = system.currentTimeMillis(); now < due; now = system.currentTimeMillis()) {
      system.parkUntil(due, now);
    }
    assertThat(system.currentTimeMillis()).isGreaterThanOrEqualTo(due);
    long begin = system.nanoTime();
    long now = system.currentTimeMillis();
    system.parkUntil(now - 1, now);
    system.parkUntil(now, now);
    assertThat(system.nanoTime() - begin).isLessThan(MAX_WAIT_NANOS);
  }
}
