package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class GrowingUlidsTest {

  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00.123Z");

  private final ManualTimeSource time = new ManualTimeSource(NOW);
  private final WideIdGenerator<Ulid> ulids = Ulid.generator(time);

  @Test
  void takesTheTimeFromTheClock() {
    assertThat(ulids.nextId().instant()).isEqualTo(NOW);
    time.advance(Duration.ofMillis(1));
    assertThat(ulids.nextId().instant()).isEqualTo(NOW.plusMillis(1));
  }

  @Test
  void countsInOneMillisecond() {
    Ulid first = ulids.nextId();
    Ulid second = ulids.nextId();
    assertThat(second).isEqualTo(first.successor());
    assertThat(ulids.nextId()).isEqualTo(second.successor());
  }

  @Test
  void drawsAgainInANewMillisecond() {
    Ulid first = ulids.nextId();
    time.advance(Duration.ofMillis(1));
    Ulid second = ulids.nextId();
    assertThat(second.low()).isNotEqualTo(first.low() + 1).isNotEqualTo(first.low());
    assertThat(second.high() & 0xFFFF).isNotEqualTo(first.high() & 0xFFFF);
  }

  @Test
  void growsWhileTheClockIsBehind() {
    Ulid first = ulids.nextId();
    time.step(Duration.ofDays(-1));
    Ulid second = ulids.nextId();
    assertThat(second).isEqualTo(first.successor());
    time.step(Duration.ofDays(1));
    assertThat(ulids.nextId()).isEqualTo(second.successor());
  }

  @Test
  void takesAClockBefore1970For1970AndKeepsTheRandomBits() {
    for (long millis : new long[] {0, -1, -5_000, Long.MIN_VALUE}) {
      ManualTimeSource clock = new ManualTimeSource(Instant.ofEpochMilli(millis));
      WideIdGenerator<Ulid> generator = Ulid.generator(clock);
      Ulid first = generator.nextId();
      assertThat(first.millis()).isZero();
      assertThat(first.low()).isNotEqualTo(Ulid.generator(clock).nextId().low());
      assertThat(generator.nextId()).isEqualTo(first.successor());
    }
  }

  @Test
  void failsAfterTheLastRandomPartUntilTheClockMoves() {
    LoadedDice dice = new LoadedDice(255);
    WideIdGenerator<Ulid> generator = Ulid.generator(dice);
    Ulid last = generator.nextId();
    assertThat(last.toString()).endsWith("ZZZZZZZZZZZZZZZZ");
    assertThatExceptionOfType(FirnException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "ULID "
                + last
                + " is the last one of its millisecond; repeat the call in the next one");
    dice.millis++;
    assertThat(generator.nextId().millis()).isEqualTo(dice.millis);
  }

  @Test
  void failsPastTheLastMillisecond() {
    LoadedDice dice = new LoadedDice(0);
    WideIdGenerator<Ulid> generator = Ulid.generator(dice);
    dice.millis = (1L << 48) - 1;
    assertThat(generator.nextId()).hasToString("7ZZZZZZZZZ0000000000000000");
    dice.millis++;
    assertThatExceptionOfType(FirnException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The clock reads +10889-08-02T05:31:50.656Z, past +10889-08-02T05:31:50.655Z, the last"
                + " time that these IDs can hold; correct the clock");
  }

  @Test
  void growsOverAllThreads() throws Exception {
    List<List<Ulid>> issued = Requests.issue(Ulid.generator(), 100_000);
    assertThat(issued).allSatisfy(ulids -> assertThat(ulids).isSorted());
    TreeSet<Ulid> all = new TreeSet<>();
    issued.forEach(all::addAll);
    assertThat(all).hasSize(400_000);
  }

  @Test
  void growsAcrossThreadsThatSawEachOthersIds() throws Exception {
    WideIdGenerator<Ulid> generator = Ulid.generator();
    AtomicReference<Ulid> seen = new AtomicReference<>(generator.nextId());
    Requests.issue(
        () -> {
          Ulid before = seen.get();
          Ulid drawn = generator.nextId();
          assertThat(drawn).isGreaterThan(before);
          seen.set(drawn);
          return drawn;
        },
        100_000);
  }
}
