package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.LogLines;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Generators whose source fails, refuses or is slow. */
class SegmentOutageTest extends HandFedGenerators {

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
  void callsAfterOneThatHasWaitedFailAtOnceAndSaySo() {
    SegmentGenerator generator = ready(builder().step(5));
    counter.failure = new FirnException("Store x did not answer");
    take(generator, 5);
    time.onPark(fetcher::runDue);
    assertThat(unavailable(generator)).hasMessageContaining(" within 2000 ms; ");
    time.onPark(
        () -> {
          throw new AssertionError("parked");
        });
    clock.advance(Duration.ofMillis(500));
    for (int i = 0; i < 2; i++) {
      assertThat(unavailable(generator))
          .hasMessage(
              "Key orders has 0 IDs left, and hand: has failed for 2500 ms, and the call did not"
                  + " wait (maxWait is 2000 ms); the last one came 2500 ms ago; last error: Store x"
                  + " did not answer");
    }
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(() -> generator.tryNextIds(new long[1], 0, 1))
        .withMessageContaining(" has failed for 2500 ms, and the call did not wait ");
  }

  @Test
  void callThatDoesNotWaitGetsTheNumbersThatAreLeftOfASourceThatRefuses() {
    SegmentGenerator generator = ready(builder().step(5));
    counter.failure = new SegmentRefusedException("used up");
    fetcher.runDue();
    assertThat(take(generator, 2)).containsExactly(1, 2);
    fetcher.runDue();
    long[] ids = new long[4];
    assertThat(generator.tryNextIds(ids, 0, 4)).isEqualTo(3);
    assertThat(ids).containsExactly(3, 4, 5, 0);
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(() -> generator.tryNextIds(ids, 3, 4))
        .withCause(counter.failure);
  }

  /** The source refused, and does not answer any more when the call looks again. */
  @Test
  void callThatNobodyInterruptedDoesNotSaySo() {
    AtomicInteger readingsLeft = new AtomicInteger();
    TimeSource later =
        new ForwardingTimeSource(time) {
          @Override
          public long nanoTime() {
            if (readingsLeft.getAndDecrement() == 1) { // after its wait
              clock.advance(Duration.ofSeconds(1));
              fetcher.runDue();
            }
            return super.nanoTime();
          }
        };
    counter.failure = new SegmentRefusedException("refused");
    SegmentGenerator generator = ready(builder(later));
    counter.failure = new FirnException("away");
    readingsLeft.set(4);

    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(generator::nextId)
        .withCause(counter.failure);
    assertThat(readingsLeft).hasNegativeValue();
  }

  private SegmentGenerator.Builder builder(TimeSource other) {
    return SegmentGenerator.builder(counter, "orders").timeSource(other).fetcher(fetcher);
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
            "Key orders has 0 IDs left, and hand: gave no segment yet, and the call did not wait"
                + " (maxWait is 0 ms); none came yet")
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
  void waitsForEachSegmentOfABulkCallAsLongAsForOne() {
    counter.most = 1;
    SegmentGenerator generator = ready(builder().step(1).maxWait(Duration.ofMillis(250)));
    time.onPark(
        () -> {
          clock.advance(Duration.ofMillis(50));
          fetcher.runDue();
        });
    long[] ids = new long[1_000];
    generator.nextIds(ids);
    assertThat(ids).containsExactly(range(1, 1_001));
    assertThat(generator.stats().waits()).isEqualTo(1);

    time.onPark(() -> {});
    long begin = clock.nanoTime();
    assertThatExceptionOfType(SegmentUnavailableException.class)
        .isThrownBy(() -> generator.nextIds(ids))
        .withMessageContaining(" within 250 ms; the last one came ");
    assertThat(Duration.ofNanos(clock.nanoTime() - begin)).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void waitsNoLongerForANumberThatOthersTakeThanForOneSegment() {
    counter.most = 1;
    SegmentGenerator generator = ready(builder().step(1).maxWait(Duration.ofMillis(250)));
    generator.nextId();
    AtomicInteger parks = new AtomicInteger();
    time.onPark(
        () -> {
          fetcher.runDue();
          if (parks.incrementAndGet() < 100) {
            assertThat(generator.tryNextIds(new long[9], 0, 9)).isPositive();
          }
        });
    long begin = clock.nanoTime();
    assertThatExceptionOfType(SegmentUnavailableException.class).isThrownBy(generator::nextId);
    assertThat(Duration.ofNanos(clock.nanoTime() - begin)).isLessThan(Duration.ofMillis(450));
  }

  @Test
  void refusalIsThrownAtOnce() {
    counter.failure = new SegmentRefusedException("key: orders (expected: another)");
    SegmentGenerator generator = builder().build();
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessage(
            "Key orders has 0 IDs left, and hand: refuses to give a segment; none came yet; last"
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
          .filteredOn(
              message -> message.equals("fetching segments for key orders of hand: works again"))
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
}
