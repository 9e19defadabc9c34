package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.WaitInterruptedException;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SegmentGeneratorTest extends HandFedGenerators {

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
  void idleGeneratorStopsAfterAStepOfAnswersThatAreShort() {
    for (int most : new int[] {100, 1}) {
      SegmentGenerator generator = readyForCallsThatAreShort(most, builder());
      long[] ids = new long[5_000];
      for (int i = 0; i < 20; i++) {
        generator.nextIds(ids);
      }
      assertIdleWith(generator, 1_000);
      assertThat(generator.stats().segmentsAhead()).isLessThanOrEqualTo(1_000 / most);
      generator.close();
    }
  }

  @Test
  void idleGeneratorStopsAfterAStepOfTickets() {
    SegmentGenerator generator = readyForCallsThatAreShort(1, builder().interleaved().step(10));
    take(generator, 1_000);
    assertIdleWith(generator, 10);
  }

  @Test
  void idleGeneratorKeepsFewSegmentsIfAnswersAreShorterThanALargeStep() {
    SegmentGenerator generator =
        readyForCallsThatAreShort(1, builder().adaptiveStep(1_000, 1_000_000));
    take(generator, 60_000);
    assertThat(generator.stats().step()).isGreaterThan(20_000);
    assertIdleWith(generator, 10_000);
  }

  @Test
  void distanceGrowsOnlyToWhatTheSourceGivesAtOnce() {
    SegmentGenerator generator = readyForCallsThatAreShort(100, builder().step(10));
    for (int i = 0; i < 2_000; i++) {
      take(generator, 30); // so that some requests are for a part of the distance
      time.onPark(fetcher::runDue);
    }
    assertIdleWith(generator, 160);
  }

  /** Returns a generator over a source that gives less than it is asked for, and fails at last. */
  private SegmentGenerator readyForCallsThatAreShort(long most, SegmentGenerator.Builder builder) {
    counter.most = most;
    counter.asked.clear();
    counter.onNext =
        () -> {
          if (counter.asked.size() > 200_000) {
            counter.failure = new FirnException("asked too often");
          }
        };
    SegmentGenerator generator = ready(builder);
    time.onPark(fetcher::runDue);
    return generator;
  }

  private void assertIdleWith(SegmentGenerator generator, long distance) {
    fetcher.runDue();
    int asked = counter.asked.size();
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofSeconds(1));
      fetcher.runDue();
    }
    assertThat(counter.asked).hasSize(asked);
    assertThat(counter.failure).isNull();
    assertThat(generator.stats().distance()).isEqualTo(distance);
    assertThat(generator.stats().left()).isLessThan(2 * distance);
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
  void givesBackASegmentThatArrivesAfterTheGeneratorIsClosed() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 4);
    counter.onNext = generator::close;
    fetcher.runDue();
    assertThat(counter.givenBack).containsExactly(Segment.of(11, 10), Segment.of(5, 6));
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
