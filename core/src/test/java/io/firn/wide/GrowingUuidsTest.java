package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.FirnException;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrowingUuidsTest {

  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00.123Z");

  private final ManualTimeSource time = new ManualTimeSource(NOW);
  private final WideIdGenerator<UUID> uuids = Uuids.v7(time);

  private static Instant instant(UUID uuid) {
    return Uuids.instant(uuid).orElseThrow();
  }

  /** rand_a and the first eight bits of rand_b. */
  private static long counter(UUID uuid) {
    return (uuid.getMostSignificantBits() & 0xFFF) << 8
        | uuid.getLeastSignificantBits() << 2 >>> 56;
  }

  @Test
  void areOfVersion7() {
    assertThat(Requests.take(uuids, 1_000))
        .allSatisfy(
            uuid -> {
              assertThat(uuid.version()).isEqualTo(7);
              assertThat(uuid.variant()).isEqualTo(2);
              assertThat(instant(uuid)).isEqualTo(NOW);
            });
  }

  @Test
  void takeTheTimeFromTheClock() {
    uuids.nextId();
    time.advance(Duration.ofMillis(1));
    assertThat(instant(uuids.nextId())).isEqualTo(NOW.plusMillis(1));
    time.advance(Duration.ofDays(1));
    assertThat(instant(uuids.nextId())).isEqualTo(NOW.plusMillis(1).plus(Duration.ofDays(1)));
  }

  @Test
  void countInOneMillisecondFromTheLowerHalf() {
    for (int millis = 0; millis < 100; millis++) {
      long first = counter(uuids.nextId());
      assertThat(first).isBetween(0L, 1L << 19);
      assertThat(counter(uuids.nextId())).isEqualTo(first + 1);
      time.advance(Duration.ofMillis(1));
    }
  }

  @Test
  void haveOtherRandomBitsEachTime() {
    List<UUID> issued = Requests.take(uuids, 10_000);
    long ones = 0;
    for (UUID uuid : issued) {
      ones += Long.bitCount(uuid.getLeastSignificantBits() << 10);
    }
    assertThat(ones / 10_000.0).isBetween(26.8, 27.2);
    assertThat(issued.stream().map(uuid -> uuid.getLeastSignificantBits() << 10).distinct())
        .hasSize(10_000);
  }

  @Test
  void takeAClockBefore1970For1970AndKeepTheRandomCounter() {
    for (long millis : new long[] {0, -1, -5_000, Long.MIN_VALUE}) {
      ManualTimeSource clock = new ManualTimeSource(Instant.ofEpochMilli(millis));
      UUID first = Uuids.v7(clock).nextId();
      assertThat(instant(first)).isEqualTo(Instant.EPOCH);
      assertThat(counter(first)).isNotEqualTo(counter(Uuids.v7(clock).nextId()));
    }
  }

  @Test
  void growWhileTheClockIsBehind() {
    UUID first = uuids.nextId();
    time.step(Duration.ofDays(-1));
    UUID second = uuids.nextId();
    assertThat(second).isGreaterThan(first);
    assertThat(instant(second)).isEqualTo(NOW);
    assertThat(counter(second)).isEqualTo(counter(first) + 1);
    time.step(Duration.ofDays(1));
    assertThat(uuids.nextId()).isGreaterThan(second);
  }

  @Test
  void carryAUsedUpCounterIntoTheTime() {
    WideIdGenerator<UUID> generator = Uuids.v7(new LoadedDice(255));
    UUID last = generator.nextId();
    while (counter(last) < (1 << 20) - 1) {
      UUID next = generator.nextId();
      assertThat(next.compareTo(last)).isPositive();
      last = next;
    }
    assertThat(instant(last).toEpochMilli()).isEqualTo(1_000_000);
    UUID carried = generator.nextId();
    assertThat(instant(carried).toEpochMilli()).isEqualTo(1_000_001);
    assertThat(counter(carried)).isZero();
    assertThat(carried).isGreaterThan(last);
  }

  @Test
  void failPastTheLastMillisecond() {
    LoadedDice dice = new LoadedDice(0);
    WideIdGenerator<UUID> generator = Uuids.v7(dice);
    dice.millis = (1L << 43) - 1;
    assertThat(instant(generator.nextId())).isEqualTo("2248-09-26T15:10:22.207Z");
    dice.millis++;
    assertThatExceptionOfType(FirnException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The clock reads 2248-09-26T15:10:22.208Z, past 2248-09-26T15:10:22.207Z, the last time"
                + " that these IDs can hold; correct the clock");
  }

  @Test
  void failWhereTheCounterOfTheLastMillisecondIsUsedUp() {
    LoadedDice dice = new LoadedDice(255);
    dice.millis = (1L << 43) - 1;
    for (int idsPerClockRead : new int[] {1, 16}) {
      WideIdGenerator<UUID> generator = Uuids.v7(dice, idsPerClockRead);
      UUID last = generator.nextId();
      while (counter(last) < (1 << 20) - 1) {
        last = generator.nextId();
      }
      for (int i = 0; i < 40; i++) {
        assertThatExceptionOfType(FirnException.class)
            .isThrownBy(generator::nextId)
            .withMessageStartingWith("All IDs up to 2248-09-26T15:10:22.207Z are used up");
      }
    }
  }

  /** A generator in a static field would be lost for the life of the process. */
  @Test
  void beginPastTheLastMillisecondAndComeOnceTheClockIsCorrected() {
    LoadedDice dice = new LoadedDice(0);
    dice.millis = 1L << 43;
    WideIdGenerator<UUID> generator = Uuids.v7(dice);
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(FirnException.class)
          .isThrownBy(generator::nextId)
          .withMessageContaining("correct the clock");
    }
    dice.millis = NOW.toEpochMilli();
    assertThat(instant(generator.nextId())).isEqualTo(NOW);
  }

  @Test
  void beginAt1970WhereTheClockIsBeforeIt() {
    LoadedDice dice = new LoadedDice(0);
    dice.millis = -1;
    assertThat(instant(Uuids.v7(dice).nextId())).isEqualTo(Instant.EPOCH);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 65_536})
  void readTheClockOncePerGivenNumberOfIds(int idsPerClockRead) {
    WideIdGenerator<UUID> generator = Uuids.v7(time, idsPerClockRead);
    UUID last = generator.nextId();
    time.advance(Duration.ofMillis(1));
    for (int old = 0; instant(last).equals(NOW); old++) {
      assertThat(old).isLessThanOrEqualTo(idsPerClockRead);
      UUID next = generator.nextId();
      assertThat(next).isGreaterThan(last);
      last = next;
    }
    assertThat(instant(last)).isEqualTo(NOW.plusMillis(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 3, 65_535, 65_537, 131_072, Integer.MIN_VALUE})
  void refuseAnotherNumberOfIdsPerReading(int idsPerClockRead) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Uuids.v7(time, idsPerClockRead))
        .withMessage(
            "idsPerClockRead: " + idsPerClockRead + " (expected: a power of two, 1..65536)");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16})
  void growOverAllThreads(int idsPerClockRead) throws Exception {
    List<List<UUID>> issued =
        Requests.issue(Uuids.v7(io.firn.time.TimeSource.system(), idsPerClockRead), 100_000);
    assertThat(issued).allSatisfy(uuids -> assertThat(uuids).isSorted());
    TreeSet<UUID> all = new TreeSet<>();
    issued.forEach(all::addAll);
    assertThat(all).hasSize(400_000);
  }

  @Test
  void areOneSequenceInAProcess() {
    UUID first = Uuids.v7().nextId();
    assertThat(Uuids.v7().nextId()).isGreaterThan(first);
  }
}
