package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class GrowingObjectIdsTest {

  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private final ManualTimeSource time = new ManualTimeSource(NOW);
  private final WideIdGenerator<ObjectId> ids = ObjectId.generator(time);

  @Test
  void takesTheSecondFromTheClock() {
    assertThat(ids.nextId().instant()).isEqualTo(NOW);
    time.advance(Duration.ofMillis(999));
    assertThat(ids.nextId().instant()).isEqualTo(NOW);
    time.advance(Duration.ofMillis(1));
    assertThat(ids.nextId().instant()).isEqualTo(NOW.plusSeconds(1));
  }

  @Test
  void hasRandomBytesOfItsOwn() {
    ObjectId id = ids.nextId();
    time.advance(Duration.ofHours(1));
    assertThat(ids.nextId().random()).isEqualTo(id.random()).isPositive();
    assertThat(ObjectId.generator(time).nextId().random()).isNotEqualTo(id.random());
  }

  @Test
  void countsInOneSecondFromTheLowerHalf() {
    ObjectId first = ids.nextId();
    assertThat(ids.nextId().counter()).isEqualTo(first.counter() + 1);
    for (int second = 0; second < 100; second++) {
      time.advance(Duration.ofSeconds(1));
      assertThat(ids.nextId().counter()).isBetween(0, (1 << 23) - 1);
    }
  }

  @Test
  void takesAClockBefore1970For1970AndKeepsTheRandomCounter() {
    for (long millis : new long[] {0, -1, -5_000, Long.MIN_VALUE}) {
      ManualTimeSource clock = new ManualTimeSource(Instant.ofEpochMilli(millis));
      ObjectId first = ObjectId.generator(clock).nextId();
      assertThat(first.epochSecond()).isZero();
      assertThat(first.counter()).isNotEqualTo(ObjectId.generator(clock).nextId().counter());
    }
  }

  @Test
  void growsWhileTheClockIsBehind() {
    ObjectId first = ids.nextId();
    time.step(Duration.ofDays(-1));
    ObjectId second = ids.nextId();
    assertThat(second).isGreaterThan(first);
    assertThat(second.instant()).isEqualTo(NOW);
    time.step(Duration.ofDays(1));
    assertThat(ids.nextId()).isGreaterThan(second);
  }

  @Test
  void carriesAUsedUpCounterIntoTheTime() {
    WideIdGenerator<ObjectId> generator = ObjectId.generator(new LoadedDice(255));
    ObjectId last = generator.nextId();
    assertThat(last.counter()).isEqualTo(1 << 23);
    for (int counter = last.counter() + 1; counter < 1 << 24; counter++) {
      last = generator.nextId();
    }
    assertThat(last.counter()).isEqualTo((1 << 24) - 1);
    assertThat(last.epochSecond()).isEqualTo(1_000);
    ObjectId carried = generator.nextId();
    assertThat(carried.counter()).isZero();
    assertThat(carried.epochSecond()).isEqualTo(1_001);
  }

  @Test
  void failsPastTheLastSecond() {
    LoadedDice dice = new LoadedDice(0);
    WideIdGenerator<ObjectId> generator = ObjectId.generator(dice);
    dice.millis = (1L << 32) * 1000 - 1;
    assertThat(generator.nextId()).hasToString("ffffffff0000000000000000");
    dice.millis++;
    assertThatExceptionOfType(FirnException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The clock reads 2106-02-07T06:28:16Z, past 2106-02-07T06:28:15Z, the last time that"
                + " these IDs can hold; correct the clock");
  }

  @Test
  void failsWhereTheCounterOfTheLastSecondIsUsedUp() {
    LoadedDice dice = new LoadedDice(255);
    dice.millis = ((1L << 32) - 1) * 1000;
    WideIdGenerator<ObjectId> generator = ObjectId.generator(dice);
    ObjectId last = generator.nextId();
    while (last.counter() < (1 << 24) - 1) {
      last = generator.nextId();
    }
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(FirnException.class)
          .isThrownBy(generator::nextId)
          .withMessage(
              "All IDs up to 2106-02-07T06:28:15Z are used up, the last time that they can hold;"
                  + " correct the clock if it was wrong, and make a new generator");
    }
  }

  /** A generator in a static field would be lost for the life of the process. */
  @Test
  void beginsPastTheLastSecondAndIssuesOnceTheClockIsCorrected() {
    LoadedDice dice = new LoadedDice(0);
    dice.millis = (1L << 32) * 1000;
    WideIdGenerator<ObjectId> generator = ObjectId.generator(dice);
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(FirnException.class)
          .isThrownBy(generator::nextId)
          .withMessageContaining("correct the clock");
    }
    dice.millis = NOW.toEpochMilli();
    assertThat(generator.nextId().instant()).isEqualTo(NOW);
  }

  @Test
  void growsOverAllThreads() throws Exception {
    List<List<ObjectId>> issued = Requests.issue(ObjectId.generator(), 100_000);
    assertThat(issued).allSatisfy(ids -> assertThat(ids).isSorted());
    TreeSet<ObjectId> all = new TreeSet<>();
    issued.forEach(all::addAll);
    assertThat(all).hasSize(400_000);
  }
}
