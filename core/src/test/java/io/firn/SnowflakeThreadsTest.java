package io.firn;

import static io.firn.Callers.bulk;
import static io.firn.Callers.isClean;
import static io.firn.Callers.one;
import static io.firn.Callers.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.Callers.Caller;
import io.firn.testkit.IdHistory.Report;
import io.firn.testkit.Sizes;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Real threads; on the system's clock unless said otherwise. */
class SnowflakeThreadsTest {

  /** The generators that two threads call at the same moment, one after the other. */
  private static final int RACES = Sizes.deep(4_000, 20_000);

  private static final IdLayout WIDE = IdLayout.of("41t+22s@2026-01-01T00:00:00Z/1ms");

  @Test
  void mixesSingleAndBulkCallsAndHandles() throws Exception {
    Snowflake generator = Snowflake.builder().layout(WIDE).build();
    Report report =
        together(
            one(generator, 2_000_000),
            bulk(generator, 4_000_000),
            one(generator.newHandle()::nextId, 2_000_000),
            one(generator.newHandle(32)::nextId, 2_000_000));
    isClean(report, 10_000_000);
    assertThat(generator.stats().issued()).isBetween(report.count(), report.count() + 2 * 1024);
  }

  @Test
  void sharesFullTicks() throws Exception {
    Snowflake generator = Snowflake.builder().worker(1).build();
    Report report =
        together(one(generator, 1_000_000), bulk(generator, 1_000_000), one(generator, 1_000_000));
    isClean(report, 3_000_000);
    assertThat(generator.stats().issued()).isEqualTo(report.count());
    assertThat(generator.stats().waits()).isPositive();
  }

  @Test
  void queuesManyThreadsForAFewNumbers() throws Exception {
    IdLayout narrow = IdLayout.of("41t+1s@2026-01-01T00:00:00Z/1ms");
    Snowflake generator = Snowflake.builder().layout(narrow).build();
    Caller[] callers = new Caller[20];
    for (int i = 0; i < callers.length; i++) {
      callers[i] = one(generator, 100);
    }
    isClean(together(callers), 2_000);
    assertThat(generator.stats().issued()).isEqualTo(2_000);
  }

  @Test
  void survivesAClockThatJumpsAtEveryReading() throws Exception {
    AtomicLong reads = new AtomicLong();
    long start = Instant.parse("2026-11-21T12:00:00Z").toEpochMilli();
    TimeSource jumping =
        new TimeSource() {
          @Override
          public long currentTimeMillis() {
            long read = reads.incrementAndGet();
            return start + read / 64 + ((read * 0x9e3779b97f4a7c15L) >>> 60);
          }

          @Override
          public long nanoTime() {
            return TimeSource.system().nanoTime();
          }

          @Override
          public void parkNanos(long nanos) {
            Thread.onSpinWait();
          }

          @Override
          public long random(long bound) {
            return 0;
          }
        };
    Snowflake generator =
        Snowflake.builder()
            .layout(IdLayout.of("41t+4s@2026-01-01T00:00:00Z/1ms"))
            .maxLead(Duration.ofMillis(5))
            .timeSource(jumping)
            .build();
    Report report =
        together(
            one(generator, 200_000),
            bulk(generator, 200_000),
            one(generator.newHandle()::nextId, 200_000));
    isClean(report, 600_000);
  }

  @Test
  void issuesALargerIdThanOneThatAnotherThreadHasPublished() throws Exception {
    Snowflake generator = Snowflake.builder().layout(WIDE).build();
    AtomicLong published = new AtomicLong(-1);
    AtomicLong disorders = new AtomicLong();
    Caller caller =
        writer -> {
          for (int i = 0; i < 2_000_000; i++) {
            long before = published.get();
            long id = generator.nextId();
            if (id <= before) {
              disorders.incrementAndGet();
            }
            published.set(id);
            writer.add(id);
          }
        };
    isClean(together(caller, caller), 4_000_000);
    assertThat(disorders).hasValue(0);
  }

  @Test
  void letsAWaitingThreadBeInterruptedAndKeepsTheNumbersOfTheOthers() throws Exception {
    IdLayout slow = IdLayout.of("30t+1s@2026-01-01T00:00:00Z/1s");
    Snowflake generator = Snowflake.builder().layout(slow).build();
    generator.nextId();
    List<Long> failures = new ArrayList<>();
    Report report =
        together(
            one(generator, 3),
            writer -> {
              Thread self = Thread.currentThread();
              Thread other =
                  new Thread(
                      () -> {
                        TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                        self.interrupt();
                      });
              other.start();
              try {
                while (true) {
                  writer.add(generator.nextId());
                }
              } catch (WaitInterruptedException e) {
                failures.add(Thread.interrupted() ? 1L : 0L);
              }
              other.join();
            });
    isClean(report, 3);
    assertThat(failures).containsExactly(1L);
  }

  @Test
  void endsForAllThreadsAtOnce() throws Exception {
    IdLayout ending =
        IdLayout.builder()
            .time(12)
            .sequence(8)
            .epoch(Instant.ofEpochMilli(System.currentTimeMillis() - 2_000))
            .build();
    Snowflake generator = Snowflake.builder().layout(ending).allowUnderTenYears().build();
    Caller untilTheEnd =
        writer ->
            assertThatExceptionOfType(LayoutExpiredException.class)
                .isThrownBy(
                    () -> {
                      while (true) {
                        writer.add(generator.nextId());
                      }
                    });
    Report report = together(untilTheEnd, untilTheEnd, untilTheEnd);
    isClean(report, 1);
    assertThat(generator.stats().issued()).isEqualTo(report.count());
    assertThat(report.count()).isLessThanOrEqualTo(2_096 * 256);
  }

  @Test
  void permitsNothingOnceItIsClosedWhileItsGrantIsCut() throws Exception {
    List<Snowflake> generators = new ArrayList<>();
    for (int i = 0; i < RACES; i++) {
      generators.add(Snowflake.builder().worker(1).build());
    }
    long far = generators.get(0).format.layout().positiveUntil().toEpochMilli();
    AtomicLong arrived = new AtomicLong();
    Report unused =
        together(
            writer -> inStep(generators, arrived, Snowflake::close),
            writer -> inStep(generators, arrived, generator -> generator.cutAt(far)));
    assertThat(generators).noneMatch(generator -> generator.grant.lastTick() >= 0);
  }

  @Test
  void knowsItsLastNumberAfterTwoThreadsHaveClosedIt() throws Exception {
    List<Snowflake> generators = new ArrayList<>();
    for (int i = 0; i < RACES; i++) {
      generators.add(Snowflake.builder().worker(1).build());
    }
    AtomicLong arrived = new AtomicLong();
    AtomicLong wrong = new AtomicLong();
    Consumer<Snowflake> close =
        generator -> {
          generator.close();
          wrong.addAndGet(generator.stats().issued());
        };
    Report unused =
        together(
            writer -> inStep(generators, arrived, close),
            writer -> inStep(generators, arrived, close));
    assertThat(wrong).hasValue(0);
    assertThat(generators).noneMatch(Snowflake::hasDrawn);
  }

  /** Calls for each generator at the same moment as the other of two threads. */
  private static void inStep(
      List<Snowflake> generators, AtomicLong arrived, Consumer<Snowflake> call) {
    for (int i = 0; i < generators.size(); i++) {
      arrived.incrementAndGet();
      while (arrived.get() < 2L * (i + 1)) {
        Thread.onSpinWait();
      }
      call.accept(generators.get(i));
    }
  }

  @Test
  void failsOnlyForThoseWhoFail() {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () ->
                together(
                    writer -> {
                      throw new IllegalStateException("seen");
                    }))
        .withMessageContaining("seen");
  }
}
