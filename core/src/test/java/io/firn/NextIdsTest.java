package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseKeeper;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NextIdsTest {

  private static final IdLayout LAYOUT = IdLayout.of("41t+4s+10w@2026-01-01T00:00:00Z/1ms");

  private final ManualTimeSource clock =
      new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
  private final Snowflake generator =
      Snowflake.builder()
          .layout(LAYOUT)
          .worker(5)
          .maxWait(Duration.ZERO)
          .sequenceStart(SequenceStart.ZERO)
          .timeSource(clock)
          .build();

  @Test
  void fillsExactlyTheRange() {
    long[] ids = new long[10];
    generator.nextIds(ids, 3, 7);
    assertThat(ids).startsWith(0, 0, 0).endsWith(0, 0, 0);
    long first = ids[3];
    assertThat(LAYOUT.parse(first).sequence()).isZero();
    assertThat(ids).containsSequence(first, first + 1024, first + 2048, first + 3072);
    assertThat(generator.nextId()).isEqualTo(first + 4096);
  }

  @Test
  void crossesTicksWithAWaitForEach() {
    long[] ids = new long[50];
    long begin = clock.currentTimeMillis();
    generator.nextIds(ids);
    for (int i = 0; i < 50; i++) {
      IdParts parts = LAYOUT.parse(ids[i]);
      assertThat(parts.instant().toEpochMilli()).isEqualTo(begin + 1 + i / 16);
      assertThat(parts.sequence()).isEqualTo(i % 16);
      assertThat(parts.worker()).isEqualTo(5);
    }
    assertThat(clock.currentTimeMillis()).isEqualTo(begin + 4);
    assertThat(generator.stats().issued()).isEqualTo(50);
  }

  @Test
  void growsInOneOrderWithNextId() {
    long last = -1;
    long[] ids = new long[40];
    for (int round = 0; round < 1_000; round++) {
      int count = round % 37;
      generator.nextIds(ids, 0, count);
      for (int i = 0; i < count; i++) {
        assertThat(ids[i]).isGreaterThan(last);
        last = ids[i];
      }
      long id = generator.nextId();
      assertThat(id).isGreaterThan(last);
      last = id;
      if (round % 3 == 0) {
        clock.advance(Duration.ofMillis(1));
      }
    }
  }

  @Test
  void takesNothingForAnEmptyRange() {
    long begin = clock.currentTimeMillis();
    generator.nextIds(new long[0]);
    generator.nextIds(new long[3], 3, 3);
    assertThat(generator.stats().issued()).isZero();
    assertThat(clock.currentTimeMillis()).isEqualTo(begin);
  }

  @Test
  void refusesARangeOutsideTheArrayBeforeItTakesAnything() {
    long[] ids = new long[5];
    int[][] ranges = {{-1, 3}, {0, 6}, {3, 2}, {6, 6}};
    for (int[] range : ranges) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> generator.nextIds(ids, range[0], range[1]));
    }
    assertThat(ids).containsOnly(0);
    assertThat(generator.stats().issued()).isZero();
  }

  @Test
  void issuesNoneOfThemAgainAfterAFailure() {
    long[] ids = new long[40];
    long before = generator.nextId();
    clock.freeze();
    assertThatExceptionOfType(SequenceExhaustedException.class)
        .isThrownBy(() -> generator.nextIds(ids));
    clock.thaw();
    long after = generator.nextId();
    assertThat(ids[14]).isEqualTo(before + 15 * 1024);
    assertThat(after).isGreaterThan(ids[14]);
    assertThat(LAYOUT.parse(after).sequence()).isZero();
  }

  @Test
  void servesLayoutsWithoutASequence() {
    Snowflake slow =
        Snowflake.builder()
            .layout(IdLayout.of("41t+10w@2026-01-01T00:00:00Z/10ms"))
            .worker(7)
            .timeSource(clock)
            .build();
    long[] ids = new long[20];
    slow.nextIds(ids);
    for (int i = 1; i < 20; i++) {
      assertThat(ids[i]).isEqualTo(ids[i - 1] + 1024);
    }
    assertThat(slow.nextId()).isEqualTo(ids[19] + 1024);
  }

  @Test
  void triesWhatIsLeftOfTheTickAndDoesNotWait() {
    long[] ids = new long[20];
    clock.advance(Duration.ofMillis(1));
    long begin = clock.currentTimeMillis();
    assertThat(generator.tryNextIds(ids, 1, 20)).isEqualTo(16);
    assertThat(ids[0]).isZero();
    assertThat(ids[17]).isZero();
    assertThat(generator.tryNextIds(ids, 17, 20)).isZero();
    assertThat(generator.tryNextIds(ids, 17, 20)).isZero();
    assertThat(clock.currentTimeMillis()).isEqualTo(begin);
    assertThat(generator.stats().waits()).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(generator.tryNextIds(ids, 17, 20)).isEqualTo(3);
    assertThat(ids[17]).isGreaterThan(ids[16]);
    assertThat(generator.nextId()).isEqualTo(ids[19] + 1024);
    assertThat(generator.stats().issued()).isEqualTo(20);
  }

  @Test
  void triesForAnInterruptedThreadAsForAnyOther() {
    long[] ids = new long[20];
    clock.advance(Duration.ofMillis(1));
    Thread.currentThread().interrupt();
    int issued = generator.tryNextIds(ids, 0, 20);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(issued).isEqualTo(16);
    assertThat(generator.stats().waits()).isEqualTo(1);
  }

  @Test
  void triesThroughTheTicksOfTheLead() {
    Snowflake leading =
        Snowflake.builder()
            .layout(LAYOUT)
            .worker(6)
            .maxLead(Duration.ofMillis(2))
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clock)
            .build();
    clock.advance(Duration.ofMillis(3));
    assertThat(leading.tryNextIds(new long[100], 0, 100)).isEqualTo(3 * 16);
  }

  @Test
  void triesNothingAgainstAClockThatWentBackForLong() {
    generator.nextId();
    clock.step(Duration.ofSeconds(-1));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(() -> generator.tryNextIds(new long[1], 0, 1));
    generator.close();
    assertThatExceptionOfType(GeneratorClosedException.class)
        .isThrownBy(() -> generator.tryNextIds(new long[1], 0, 1));
  }

  @Test
  void returnsTheIdsItHasBeforeItFails() {
    Snowflake leading =
        Snowflake.builder()
            .layout(LAYOUT)
            .worker(6)
            .maxLead(Duration.ofMillis(2))
            .maxWait(Duration.ZERO)
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clock)
            .build();
    clock.advance(Duration.ofMillis(3));
    long last = leading.nextId();
    clock.step(Duration.ofMillis(-2));
    long[] ids = new long[20];
    assertThat(leading.tryNextIds(ids, 0, 20)).isEqualTo(15);
    assertThat(ids[0]).isEqualTo(last + 1024);
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(() -> leading.tryNextIds(ids, 15, 20));
    assertThat(leading.stats().issued()).isEqualTo(16);
  }

  @Test
  void requestsAWindowWithoutWaitingForIt() {
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    LeaseKeeper keeper = LeaseKeeper.manual(clock);
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders").window(Duration.ofSeconds(1)).keeper(keeper).build();
    Snowflake leased = Snowflake.builder().layout(LAYOUT).lease(lease).timeSource(clock).build();
    clock.advance(Duration.ofSeconds(2));
    long begin = clock.currentTimeMillis();
    assertThat(leased.tryNextIds(new long[1], 0, 1)).isZero();
    assertThat(clock.currentTimeMillis()).isEqualTo(begin);
    keeper.runDue();
    assertThat(leased.tryNextIds(new long[1], 0, 1)).isEqualTo(1);
  }
}
