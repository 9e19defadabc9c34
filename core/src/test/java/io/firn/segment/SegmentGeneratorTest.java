package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.firn.Clocks;
import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.LogLines;
import io.firn.WaitInterruptedException;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentGeneratorTest {

  private final ManualTimeSource clock = new ManualTimeSource(Instant.EPOCH);
  private final Clocks time = new Clocks(clock);
  private final SegmentFetcher fetcher = SegmentFetcher.manual(time);
  private final HandCounter counter = new HandCounter();

  @AfterEach
  void leaveNoInterruptBehind() {
    assertThat(Thread.interrupted()).isFalse();
  }

  private SegmentGenerator.Builder builder() {
    return SegmentGenerator.builder(counter, "orders").timeSource(time).fetcher(fetcher);
  }

  /** A generator that has its first segment. */
  private SegmentGenerator ready(SegmentGenerator.Builder builder) {
    SegmentGenerator generator = builder.build();
    fetcher.runDue();
    return generator;
  }

  private long[] take(SegmentGenerator generator, int count) {
    return LongStream.generate(generator::nextId).limit(count).toArray();
  }

  private static long[] range(long from, long to) {
    return LongStream.range(from, to).toArray();
  }

  private static SegmentUnavailableException unavailable(SegmentGenerator generator) {
    return catchThrowableOfType(SegmentUnavailableException.class, generator::nextId);
  }

  // Order, and what is fetched when.

  @Test
  void issuesEveryNumberOfTheCounter() {
    SegmentGenerator generator = builder().step(3).build();
    time.onPark(fetcher::runDue);
    assertThat(take(generator, 20)).containsExactly(range(1, 21));
  }

  @Test
  void asksForNothingButTheFirstSegmentBeforeAnIdIsWanted() {
    SegmentGenerator generator = ready(builder().step(10));
    assertThat(counter.asked).containsExactly(10L);
    assertThat(generator.stats().left()).isEqualTo(10);
  }

  @Test
  void hasTheNextSegmentFetchedAsSoonAsOneIsBegun() {
    SegmentGenerator generator = ready(builder().step(10));
    generator.nextId();
    assertThat(counter.asked).containsExactly(10L);
    fetcher.runDue();
    assertThat(counter.asked).containsExactly(10L, 10L);
    take(generator, 9);
    fetcher.runDue();
    assertThat(counter.asked).hasSize(2);
    generator.nextId();
    fetcher.runDue();
    assertThat(counter.asked).hasSize(3);
    assertThat(generator.stats().waits()).isZero();
  }

  @Test
  void skipsNumbersThatOthersWereGiven() {
    SegmentGenerator generator = ready(builder().step(2));
    generator.nextId();
    counter.next = 101;
    fetcher.runDue();
    assertThat(take(generator, 3)).containsExactly(2, 101, 102);
  }

  @Test
  void fillsArraysAcrossSegments() {
    SegmentGenerator generator = builder().step(3).build();
    time.onPark(fetcher::runDue);
    long[] ids = new long[12];
    generator.nextIds(ids, 1, 11);
    assertThat(ids).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0);
    assertThat(generator.nextId()).isEqualTo(11);
    generator.nextIds(ids, 5, 5);
    assertThat(generator.nextId()).isEqualTo(12);
  }

  @Test
  void fillsAnArrayInOneReservationASegment() {
    SegmentGenerator generator = ready(builder().step(1_000));
    long[] ids = new long[1_000];
    generator.nextIds(ids);
    assertThat(ids).containsExactly(range(1, 1_001));
    assertThat(generator.stats().issued()).isEqualTo(1_000);
    assertThat(generator.stats().left()).isZero();
  }

  // Callers that must not wait.

  @Test
  void triesWhatIsThereAndRequestsTheRest() {
    SegmentGenerator generator = ready(builder().step(3));
    long[] ids = new long[9];
    assertThat(generator.tryNextIds(ids, 1, 9)).isEqualTo(3);
    assertThat(ids).containsExactly(0, 1, 2, 3, 0, 0, 0, 0, 0);
    assertThat(generator.tryNextIds(ids, 4, 9)).isZero();
    assertThat(generator.stats().waits()).isEqualTo(1);
    fetcher.runDue();
    assertThat(generator.tryNextIds(ids, 4, 6)).isEqualTo(2);
    assertThat(ids).containsExactly(0, 1, 2, 3, 4, 5, 0, 0, 0);
    assertThat(generator.nextId()).isEqualTo(6);
  }

  @Test
  void triesNothingAgainstASourceThatIsKnownToBeDown() {
    SegmentGenerator generator = ready(builder().step(1).maxWait(Duration.ofSeconds(1)));
    long[] ids = new long[1];
    assertThat(generator.tryNextIds(ids, 0, 1)).isEqualTo(1);
    counter.failure = new IllegalStateException("no driver");
    fetcher.runDue();
    assertThat(generator.tryNextIds(ids, 0, 1)).isZero();
    clock.advance(Duration.ofSeconds(1));
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(() -> generator.tryNextIds(ids, 0, 1))
        .withMessageContaining("no driver");
    counter.failure = null;
    clock.advance(Duration.ofSeconds(2));
    fetcher.runDue();
    assertThat(generator.tryNextIds(ids, 0, 1)).isEqualTo(1);
    generator.close();
    assertThatExceptionOfType(GeneratorClosedException.class)
        .isThrownBy(() -> generator.tryNextIds(ids, 0, 1));
  }

  @Test
  void fetchesAgainAndAgainForCallersThatTry() {
    SegmentGenerator generator = ready(builder().step(1).maxWait(Duration.ofDays(1)));
    long[] ids = new long[1];
    assertThat(generator.tryNextIds(ids, 0, 1)).isEqualTo(1);
    counter.failure = new IllegalStateException("no driver");
    for (int i = 0; i < 200; i++) {
      assertThat(generator.tryNextIds(ids, 0, 1)).isZero();
      fetcher.runDue();
      clock.advance(Duration.ofSeconds(2));
    }
    assertThat(generator.stats().fetchFailures()).isBetween(199L, 202L);
  }

  @Test
  void loweringTheCountDoesNotMatterToAnArrayThatWantsMore() {
    counter.most = 1;
    SegmentGenerator generator = ready(builder().step(4));
    time.onPark(fetcher::runDue);
    long[] ids = new long[9];
    generator.nextIds(ids);
    assertThat(ids).containsExactly(range(1, 10));
  }

  @Test
  void takesSegmentsOfOneNumberUntilTheDistanceIsReached() {
    counter.most = 1;
    SegmentGenerator generator = ready(builder().step(4));
    assertThat(counter.asked).containsExactly(4L, 4L, 4L, 4L);
    assertThat(generator.stats().segmentsAhead()).isEqualTo(4);
    assertThat(generator.nextId()).isEqualTo(1);
    fetcher.runDue();
    assertThat(counter.asked).containsExactly(4L, 4L, 4L, 4L, 4L);
  }

  @Test
  void takesSegmentsThatAreLongerThanAskedFor() {
    counter.script.add(Segment.of(1, 100));
    SegmentGenerator generator = ready(builder().step(4));
    assertThat(generator.stats().left()).isEqualTo(100);
    assertThat(take(generator, 100)).containsExactly(range(1, 101));
  }

  @Test
  void issuesNumbersThatAreSomeWayApart() {
    counter.script.add(new Segment(3, 4, 10));
    counter.script.add(new Segment(103, 1, 7));
    counter.next = 1_000;
    SegmentGenerator generator = ready(builder().step(4));
    assertThat(generator.nextId()).isEqualTo(3);
    fetcher.runDue();
    long[] ids = new long[4];
    generator.nextIds(ids);
    assertThat(ids).containsExactly(13, 23, 33, 103);
    assertThat(generator.stats().newest()).isEqualTo(OptionalLong.of(103));
  }

  @Test
  void issuesTheLastNumberThereIs() {
    counter.script.add(Segment.of(Long.MAX_VALUE - 1, 2));
    SegmentGenerator generator = ready(builder().step(2).maxWait(Duration.ZERO));
    assertThat(take(generator, 2)).containsExactly(Long.MAX_VALUE - 1, Long.MAX_VALUE);
    assertThat(unavailable(generator)).isNotNull();
  }

  @Test
  void fetchesMoreAtOnceAfterCallersHadToWait() {
    SegmentGenerator generator = ready(builder().step(10));
    time.onPark(fetcher::runDue);
    take(generator, 1_000);
    assertThat(generator.stats().distance()).isGreaterThanOrEqualTo(80);
    assertThat(counter.asked).contains(10L, 20L, 40L);
    assertThat(counter.asked.stream().mapToLong(count -> count).max()).isNotEqualTo(10L);
  }

  @Test
  void keepsADistanceThatSuffices() {
    SegmentGenerator generator = ready(builder().step(10));
    for (int i = 0; i < 1_000; i++) {
      generator.nextId();
      fetcher.runDue();
    }
    assertThat(generator.stats().distance()).isEqualTo(10);
    assertThat(generator.stats().waits()).isZero();
  }

  @Test
  void stepFollowsTheTraffic() {
    SegmentGenerator generator = ready(builder().adaptiveStep(10, 40));
    for (int i = 0; i < 200; i++) {
      clock.advance(Duration.ofSeconds(80));
      generator.nextId();
      fetcher.runDue();
    }
    assertThat(generator.stats().step()).isEqualTo(20); // 10 last 800 s, 20 last 1,600 s
  }

  // Failure.

  @Test
  void continuesToTheEndOfItsSegmentsDuringAnOutage() {
    SegmentGenerator generator = ready(builder().step(5));
    generator.nextId();
    fetcher.runDue();
    counter.failure = new FirnException("Store x did not answer");
    assertThat(take(generator, 9)).containsExactly(range(2, 11));
    clock.advance(Duration.ofMillis(7));
    time.onPark(fetcher::runDue);
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "Key orders has 0 IDs left, and hand: gave no segment within 2000 ms; the last one came"
                + " 2007 ms ago; last error: Store x did not answer")
        .withCause(counter.failure);
  }

  @Test
  void resumesWhenTheSourceIsBack() {
    SegmentGenerator generator = ready(builder().step(5).maxWait(Duration.ofMillis(1)));
    counter.failure = new FirnException("away");
    take(generator, 5);
    fetcher.runDue();
    assertThat(unavailable(generator).stats().fetchFailures()).isEqualTo(1);
    counter.failure = null;
    clock.advance(Duration.ofSeconds(2));
    fetcher.runDue();
    assertThat(generator.nextId()).isEqualTo(6);
    assertThat(generator.stats().lastError()).isEmpty();
    assertThat(generator.stats().fetchFailures()).isEqualTo(1);
  }

  @Test
  void asksLessAndLessOftenWhileTheSourceIsAway() {
    counter.failure = new FirnException("away");
    builder().build();
    for (int i = 0; i < 60_000; i++) {
      fetcher.runDue();
      clock.advance(Duration.ofMillis(1));
    }
    assertThat(counter.asked.size()).isBetween(50, 110);
  }

  @Test
  void restsAfterAMinuteOfFailuresUntilAnIdIsRequested() {
    counter.failure = new FirnException("away");
    SegmentGenerator generator = builder().maxWait(Duration.ZERO).build();
    for (int i = 0; i < 200; i++) {
      fetcher.runDue();
      clock.advance(Duration.ofSeconds(2));
    }
    int before = counter.asked.size();
    assertThat(before).isEqualTo(65);
    counter.failure = null;
    assertThat(unavailable(generator)).isNotNull();
    fetcher.runDue();
    assertThat(generator.nextId()).isEqualTo(1);
  }

  @Test
  void keepsRetryingWhileAnIdIsRequested() {
    counter.failure = new FirnException("away");
    SegmentGenerator generator = builder().maxWait(Duration.ZERO).build();
    for (int i = 0; i < 200; i++) {
      unavailable(generator);
      fetcher.runDue();
      clock.advance(Duration.ofSeconds(2));
    }
    assertThat(counter.asked).hasSizeGreaterThan(190);
  }

  @Test
  void failsAtOnceIfItMustNotWait() {
    SegmentGenerator generator = builder().maxWait(Duration.ZERO).build();
    time.onPark(
        () -> {
          throw new AssertionError("parked");
        });
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "Key orders has 0 IDs left, and hand: gave no segment within 0 ms; none came yet")
        .withNoCause();
    fetcher.runDue();
    assertThat(generator.nextId()).isEqualTo(1);
  }

  @Test
  void waitsNoLongerThanMaxWait() {
    SegmentGenerator generator = builder().maxWait(Duration.ofMillis(250)).build();
    assertThat(unavailable(generator)).hasMessageContaining(" within 250 ms;");
    assertThat(clock.nanoTime()).isEqualTo(Duration.ofMillis(250).toNanos());
  }

  @Test
  void waitsNoLongerForSeveralSegmentsThanForOne() {
    counter.most = 1;
    SegmentGenerator generator = builder().step(1).maxWait(Duration.ofMillis(250)).build();
    time.onPark(
        () -> {
          fetcher.runDue();
          clock.advance(Duration.ofMillis(50));
        });
    long begin = clock.nanoTime();
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(() -> generator.nextIds(new long[1_000]));
    assertThat(clock.nanoTime() - begin).isLessThan(Duration.ofMillis(450).toNanos());
  }

  @Test
  void refusalIsThrownAtOnce() {
    counter.failure = new SegmentRefusedException("key: orders (expected: another)");
    SegmentGenerator generator = builder().build();
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessage(
            "Key orders has 0 IDs left, and hand: gave no segment within 0 ms; none came yet; last"
                + " error: key: orders (expected: another)")
        .hasCause(counter.failure);
    counter.failure = null;
    clock.advance(Duration.ofSeconds(2));
    fetcher.runDue();
    assertThat(generator.nextId()).isEqualTo(1);
  }

  @Test
  void brokenSourceIsAFailureAsAnyOther() {
    counter.failure = new IllegalStateException("broken");
    SegmentGenerator generator = builder().maxWait(Duration.ZERO).build();
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessageContaining("java.lang.IllegalStateException: broken");
  }

  @Test
  void endOfAnOutageIsLogged() {
    try (LogLines log = new LogLines("io.firn.segment")) {
      counter.failure = new IllegalStateException("broken");
      SegmentGenerator generator = builder().build();
      fetcher.runDue();
      counter.failure = null;
      clock.advance(Duration.ofSeconds(2));
      fetcher.runDue();
      assertThat(generator.nextId()).isEqualTo(1);
      assertThat(log.messages())
          .filteredOn(message -> message.contains("segments for key orders of hand: come again"))
          .hasSize(1);
    }
  }

  @Test
  void errorIsPassedOnAndTheSourceAskedAgain() {
    SegmentGenerator generator = builder().build();
    counter.onNext =
        () -> {
          counter.onNext = null;
          throw new StackOverflowError();
        };
    assertThatExceptionOfType(StackOverflowError.class).isThrownBy(fetcher::runDue);
    clock.advance(Duration.ofSeconds(1));
    fetcher.runDue();
    assertThat(generator.nextId()).isEqualTo(1);
  }

  @Test
  void outageDoesNotWidenTheDistance() {
    SegmentGenerator generator = ready(builder().step(5).maxWait(Duration.ZERO));
    take(generator, 5);
    counter.failure = new FirnException("away");
    for (int i = 0; i < 20; i++) {
      unavailable(generator);
      fetcher.runDue();
      clock.advance(Duration.ofSeconds(2));
    }
    counter.failure = null;
    fetcher.runDue();
    assertThat(generator.stats().distance()).isLessThanOrEqualTo(10);
  }

  @Test
  void interruptedCallerGetsAnExceptionAndStaysInterrupted() {
    SegmentGenerator generator = builder().build();
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(WaitInterruptedException.class)
        .isThrownBy(generator::nextId)
        .withMessage("Interrupted with 10000 ms left to wait for a segment of key orders");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void interruptedCallerThatNeedNotWaitGetsItsId() {
    SegmentGenerator generator = ready(builder());
    Thread.currentThread().interrupt();
    assertThat(generator.nextId()).isEqualTo(1);
    assertThat(Thread.interrupted()).isTrue();
  }

  // A counter that went back.

  @Test
  void refusesASegmentThatIsNotPastTheLastAndDropsWhatItHolds() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 3);
    counter.next = 10;
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessage(
            "Key orders has 0 IDs left, and hand: gave no segment within 0 ms; the last one came 0"
                + " ms"
                + " ago; last error: counter: at 10 for key orders in hand:"
                + " (expected: above 10, which this process was given;"
                + " set it above every number in use, and above 10)")
        .hasCauseInstanceOf(CounterWentBackException.class);
    assertThat(generator.stats().issued()).isEqualTo(3);
    assertThat(generator.stats().newest()).isEqualTo(OptionalLong.of(3));
  }

  @Test
  void continuesOnceTheCounterIsSetAboveWhatItGave() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 3);
    counter.next = 1;
    fetcher.runDue();
    assertThat(unavailable(generator)).isNotNull();
    counter.next = 11;
    clock.advance(Duration.ofSeconds(2));
    fetcher.runDue();
    assertThat(take(generator, 2)).containsExactly(11, 12);
    assertThat(generator.stats().issued()).isEqualTo(5);
  }

  @Test
  void refusesSegmentsAmongOthersUnlessTheyMayInterleave() {
    counter.script.add(new Segment(0, 5, 2));
    counter.script.add(new Segment(1, 5, 2));
    SegmentGenerator generator = ready(builder().step(5));
    generator.nextId();
    fetcher.runDue();
    assertThat(unavailable(generator)).hasMessageContaining("counter: at 1 for key orders");
  }

  @Test
  void takesTheSegmentsOfSeveralDatabasesInTurn() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(1, 3, 2));
    counter.script.add(new Segment(6, 3, 2));
    counter.script.add(new Segment(7, 3, 2));
    counter.next = 1_000;
    SegmentGenerator generator = ready(builder().step(3).interleaved());
    time.onPark(fetcher::runDue);
    assertThat(take(generator, 12)).containsExactly(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11);
  }

  @Test
  void noticesThatOneOfSeveralDatabasesWentBack() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(101, 3, 2));
    counter.script.add(new Segment(4, 3, 2));
    SegmentGenerator generator = ready(builder().step(3).interleaved());
    generator.nextId();
    fetcher.runDue();
    take(generator, 3);
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessageContaining("counter: at 4 for key orders in hand: (expected: above 4, ");
  }

  @Test
  void noticesNumbersThatTwoStridesHaveInCommon() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(3, 1, 3));
    counter.script.add(new Segment(1, 1, 6));
    SegmentGenerator generator = ready(builder().step(1).interleaved());
    generator.nextId();
    fetcher.runDue();
    assertThat(unavailable(generator)).hasMessageContaining("counter: at 3 ");
  }

  // Closing.

  @Test
  void givesBackWhatIsLeftTheLastSegmentFirst() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 4);
    fetcher.runDue();
    generator.close();
    assertThat(counter.givenBack).containsExactly(Segment.of(11, 10), Segment.of(5, 6));
    assertThatExceptionOfType(GeneratorClosedException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThatExceptionOfType(GeneratorClosedException.class)
        .isThrownBy(() -> generator.nextIds(new long[1]));
    generator.close();
    assertThat(counter.givenBack).hasSize(2);
  }

  @Test
  void givesBackNothingMoreOnceALaterSegmentWasNotTaken() {
    counter.takesBack = false;
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 4);
    fetcher.runDue();
    generator.close();
    assertThat(counter.givenBack).containsExactly(Segment.of(11, 10));
  }

  @Test
  void givesBackNothingIfNothingIsLeft() {
    SegmentGenerator generator = ready(builder().step(4));
    take(generator, 4);
    generator.close();
    assertThat(counter.givenBack).isEmpty();
  }

  @Test
  void closingNeedsNoFirstSegment() {
    SegmentGenerator generator = builder().build();
    generator.close();
    fetcher.runDue();
    assertThat(counter.asked).isEmpty();
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(generator::nextId);
  }

  @Test
  void closingDoesNotFailWithTheSource() {
    HandCounter failing =
        new HandCounter() {
          @Override
          public synchronized boolean giveBack(String key, Segment rest) {
            throw new FirnException("away");
          }
        };
    SegmentGenerator generator =
        SegmentGenerator.builder(failing, "k").timeSource(time).fetcher(fetcher).build();
    fetcher.runDue();
    generator.close();
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(generator::nextId);
  }

  @Test
  void closeEndsTheWaitOfACaller() {
    SegmentGenerator generator = builder().build();
    time.onPark(generator::close);
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(generator::nextId);
  }

  // What it tells of itself.

  @Test
  void statsCountItsStockAndFetches() {
    SegmentGenerator generator = ready(builder().step(10));
    SegmentStats before = generator.stats();
    assertThat(before.newest()).isEmpty();
    assertThat(before.issued()).isZero();
    take(generator, 10);
    fetcher.runDue();
    clock.advance(Duration.ofMillis(5));
    SegmentStats stats = generator.stats();
    assertThat(stats)
        .isEqualTo(
            new SegmentStats(
                "orders",
                "hand:",
                OptionalLong.of(10),
                10,
                10,
                1,
                10,
                10,
                0,
                2,
                0,
                java.util.Optional.of(Duration.ofMillis(5)),
                java.util.Optional.empty()));
    assertThat(generator).hasToString("SegmentGenerator[orders of hand:]");
  }

  @Test
  void countsCallsThatHadToWait() {
    SegmentGenerator generator = builder().step(2).build();
    time.onPark(fetcher::runDue);
    take(generator, 3);
    assertThat(generator.stats().waits()).isEqualTo(2);
  }
}
