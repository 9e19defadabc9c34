package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SnowflakeTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  private static final IdLayout TWO_BITS = IdLayout.of("41t+10w+2s@2026-01-01T00:00:00Z/1ms");

  private static final IdLayout SECONDS = IdLayout.of("41t+10w+2s@2026-01-01T00:00:00Z/1s");

  private static final IdLayout TENS = IdLayout.of("38t+10w+3s@2026-01-01T00:00:00Z/10ms");

  private final ManualTimeSource clock = new ManualTimeSource(START);

  private Snowflake.Builder builder(IdLayout layout) {
    return Snowflake.builder().layout(layout).worker(3).timeSource(clock);
  }

  private Snowflake zero(IdLayout layout) {
    return builder(layout).sequenceStart(SequenceStart.ZERO).build();
  }

  private static Instant timeOf(IdLayout layout, long id) {
    return layout.parse(id).instant();
  }

  @Test
  void issuesTwittersFirstIds() {
    ManualTimeSource early = new ManualTimeSource(IdLayout.TWITTER.epoch());
    Snowflake twitter =
        Snowflake.builder()
            .layout(IdLayout.TWITTER)
            .datacenter(0)
            .worker(0)
            .clockPolicy(ClockPolicy.TWITTER)
            .timeSource(early)
            .build();
    assertThat(twitter.nextId()).isEqualTo(4194304);
    assertThat(twitter.nextId()).isEqualTo(4194305);
    early.step(Duration.ofMillis(-1));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(twitter::nextId)
        .withMessage(
            "The clock moved backwards by 1 ms (maxLead is 0 ms, maxWait is 0 ms);"
                + " synchronize it, or raise maxLead");
    early.step(Duration.ofMillis(1));
    assertThat(twitter.nextId()).isEqualTo(4194306);
  }

  @Test
  void waitsForTheTickAfterItsConstruction() {
    Snowflake generator = zero(IdLayout.CLASSIC);
    IdParts first = IdLayout.CLASSIC.parse(generator.nextId());
    assertThat(first.instant()).isEqualTo(START.plusMillis(1));
    assertThat(first.worker()).isEqualTo(3);
    assertThat(first.sequence()).isZero();
    assertThat(clock.currentTimeMillis()).isEqualTo(START.toEpochMilli() + 1);
  }

  @Test
  void repeatsNothingWhenRestartedWithinATick() {
    for (int lead : new int[] {0, 1, 7}) {
      Set<Long> seen = new HashSet<>();
      for (int restart = 0; restart < 20; restart++) {
        Snowflake generator =
            builder(TWO_BITS)
                .maxLead(Duration.ofMillis(lead))
                .sequenceStart(SequenceStart.ZERO)
                .build();
        long newest = 0;
        for (int i = 0; i <= 4 * lead; i++) {
          newest = generator.nextId();
          assertThat(seen.add(newest)).as("%s with lead %s", newest, lead).isTrue();
        }
        assertThat(timeOf(TWO_BITS, newest).toEpochMilli())
            .isLessThanOrEqualTo(clock.currentTimeMillis() + lead);
      }
    }
  }

  @Test
  void continuesToTheNextTickWhenTheSequenceIsUsedUp() {
    Snowflake generator = zero(TWO_BITS);
    for (int i = 0; i < 12; i++) {
      IdParts parts = TWO_BITS.parse(generator.nextId());
      assertThat(parts.instant()).isEqualTo(START.plusMillis(1 + i / 4));
      assertThat(parts.sequence()).isEqualTo(i % 4);
      assertThat(clock.currentTimeMillis()).isEqualTo(parts.instant().toEpochMilli());
    }
    assertThat(generator.stats().waits()).isEqualTo(3);
  }

  @Test
  void borrowsUpToTheLeadAndNotOneTickMore() {
    Snowflake generator =
        builder(TWO_BITS).maxLead(Duration.ofMillis(2)).sequenceStart(SequenceStart.ZERO).build();
    generator.nextId();
    long now = clock.currentTimeMillis();
    assertThat(now).isEqualTo(START.toEpochMilli() + 1);
    generator.nextId();
    generator.nextId();
    assertThat(timeOf(TWO_BITS, generator.nextId()).toEpochMilli()).isEqualTo(now + 2);
    assertThat(clock.currentTimeMillis()).isEqualTo(now);
    assertThat(generator.stats().lead()).isEqualTo(Duration.ofMillis(2));
    assertThat(timeOf(TWO_BITS, generator.nextId()).toEpochMilli()).isEqualTo(now + 3);
    assertThat(clock.currentTimeMillis()).isEqualTo(now + 1);
  }

  @Test
  void waitsForAClockThatSteppedBackUpToMaxWait() {
    for (int back : new int[] {1, 9, 10}) {
      Snowflake generator = builder(IdLayout.CLASSIC).maxWait(Duration.ofMillis(10)).build();
      long before = generator.nextId();
      long reading = clock.currentTimeMillis();
      clock.step(Duration.ofMillis(-back));
      assertThat(generator.nextId()).isEqualTo(before + 1);
      assertThat(clock.currentTimeMillis()).isEqualTo(reading);
      assertThat(generator.stats().clockSteps()).isEqualTo(1);
    }
  }

  @Test
  void refusesAClockThatSteppedBackByMoreThanMaxWait() {
    Snowflake generator =
        builder(IdLayout.CLASSIC)
            .maxWait(Duration.ofMillis(10))
            .sequenceStart(SequenceStart.ZERO)
            .build();
    long before = generator.nextId();
    clock.step(Duration.ofMillis(-11));
    long reading = clock.currentTimeMillis();
    ClockMovedBackwardsException failure =
        catchThrowableOfType(ClockMovedBackwardsException.class, generator::nextId);
    assertThat(failure)
        .hasMessage(
            "The clock moved backwards by 11 ms (maxLead is 0 ms, maxWait is 10 ms);"
                + " synchronize it, or raise maxLead");
    assertThat(failure.back()).isEqualTo(Duration.ofMillis(11));
    assertThat(clock.currentTimeMillis()).isEqualTo(reading);
    clock.step(Duration.ofMillis(1));
    assertThat(generator.nextId()).isEqualTo(before + 1);
  }

  @Test
  void bridgesAClockThatSteppedBackUpToMaxLead() {
    for (int back : new int[] {9, 10, 11}) {
      Snowflake generator =
          builder(IdLayout.CLASSIC).maxLead(Duration.ofMillis(10)).maxWait(Duration.ZERO).build();
      generator.nextId();
      clock.advance(Duration.ofMillis(50));
      long before = generator.nextId();
      clock.step(Duration.ofMillis(-back));
      long reading = clock.currentTimeMillis();
      if (back <= 10) {
        assertThat(generator.nextId()).isEqualTo(before + 1);
        assertThat(generator.stats().lead()).isEqualTo(Duration.ofMillis(back));
      } else {
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(generator::nextId)
            .withMessage(
                "The clock moved backwards by 11 ms (maxLead is 10 ms, maxWait is 0 ms);"
                    + " synchronize it, or raise maxLead");
      }
      assertThat(clock.currentTimeMillis()).isEqualTo(reading);
    }
  }

  @Test
  void waitsForTheEndOfAFullTickBesidesAStepBackUpToMaxWait() {
    for (int back : new int[] {1, 5, 6}) {
      Snowflake generator =
          builder(SECONDS).maxWait(Duration.ofMillis(5)).sequenceStart(SequenceStart.ZERO).build();
      generator.nextId();
      clock.advance(Duration.ofMillis(1_100));
      for (int i = 0; i < 4; i++) {
        generator.nextId();
      }
      clock.step(Duration.ofMillis(-back));
      if (back <= 5) {
        assertThat(generator.tryNextIds(new long[1], 0, 1)).isZero();
        Instant next = timeOf(SECONDS, generator.nextId());
        assertThat(clock.currentTimeMillis()).isEqualTo(next.toEpochMilli());
      } else {
        String message =
            "The clock moved backwards by 6 ms (maxLead is 0 ms, maxWait is 5 ms);"
                + " synchronize it, or raise maxLead";
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(() -> generator.tryNextIds(new long[1], 0, 1))
            .withMessage(message);
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(generator::nextId)
            .withMessage(message);
      }
    }
  }

  @Test
  void waitsForTheEndOfAFullTickAfterAStepBackThatTheLeadCovers() {
    for (int lead : new int[] {2, 5, 10, 1_000}) {
      for (int maxWait : new int[] {0, 5}) {
        Snowflake generator = full(lead, maxWait);
        clock.step(Duration.ofMillis(1 - lead));
        long before = clock.currentTimeMillis();
        Instant next = timeOf(TENS, generator.nextId());
        assertThat(clock.currentTimeMillis()).isEqualTo(next.toEpochMilli() - lead);
        assertThat(clock.currentTimeMillis() - before).isEqualTo(8);
      }
    }
  }

  @Test
  void callThatMayNotWaitGetsNothingOfAFullTickAfterAStepBackThatTheLeadCovers() {
    Snowflake generator = full(1_000, 0);
    clock.step(Duration.ofMillis(-999));
    assertThat(generator.tryNextIds(new long[1], 0, 1)).isZero();
    clock.advance(Duration.ofMillis(9));
    assertThat(generator.tryNextIds(new long[1], 0, 1)).isEqualTo(1);
  }

  @Test
  void refusesAStepBackThatIsLongerThanTheLeadOnAFullTick() {
    Snowflake generator = full(1_000, 0);
    clock.step(Duration.ofMillis(-1_001));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The clock moved backwards by 1001 ms (maxLead is 1000 ms, maxWait is 0 ms);"
                + " synchronize it, or raise maxLead");
    clock.step(Duration.ofMillis(1));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(generator::nextId)
        .withMessageStartingWith("The clock moved backwards by 1000 ms, with IDs ahead of it");
  }

  @Test
  void saysThatTheLeadWasInUseWhereAShorterStepBackIsRefused() {
    Snowflake generator = full(1_000, 0);
    generator.nextIds(new long[100 * 8]);
    clock.step(Duration.ofMillis(-500));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(() -> generator.nextIds(new long[16]))
        .withMessage(
            "The clock moved backwards by 500 ms, with IDs ahead of it already (maxLead is 1000"
                + " ms, maxWait is 0 ms); synchronize it, or raise maxLead");
  }

  /** Returns a generator that has used all numbers of the tick that began a millisecond ago. */
  private Snowflake full(int lead, int maxWait) {
    Snowflake generator =
        Snowflake.builder()
            .layout(TENS)
            .worker(3)
            .maxLead(Duration.ofMillis(lead))
            .maxWait(Duration.ofMillis(maxWait))
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clock)
            .build();
    generator.nextId();
    clock.advance(Duration.ofMillis(3_001 - clock.currentTimeMillis() % 10));
    generator.nextIds(new long[8]);
    return generator;
  }

  @Test
  void countsOnlyTheStepBackOfAWaitForTheEndOfAFullTick() {
    for (int maxWait : new int[] {250, 249}) {
      Clocks clocks = new Clocks(clock);
      Snowflake generator =
          Snowflake.builder()
              .layout(SECONDS)
              .worker(3)
              .maxWait(Duration.ofMillis(maxWait))
              .sequenceStart(SequenceStart.ZERO)
              .timeSource(clocks)
              .build();
      generator.nextIds(new long[4]);
      clock.advance(Duration.ofMillis(300));
      clocks.onPark(
          () -> {
            if (clock.currentTimeMillis() % 1_000 >= 600) {
              clocks.onPark(() -> {});
              clocks.step(-250);
            }
          });
      if (maxWait == 250) {
        Instant next = timeOf(SECONDS, generator.nextId());
        assertThat(clock.currentTimeMillis()).isEqualTo(next.toEpochMilli());
      } else {
        assertThatExceptionOfType(ClockMovedBackwardsException.class)
            .isThrownBy(generator::nextId)
            .withMessage(
                "The clock moved backwards by 250 ms (maxLead is 0 ms, maxWait is 249 ms);"
                    + " synchronize it, or raise maxLead");
      }
    }
  }

  @Test
  void doesNotDrawWhileCallersFail() {
    Snowflake generator =
        builder(TWO_BITS).maxWait(Duration.ZERO).sequenceStart(SequenceStart.ZERO).build();
    long before = generator.nextId();
    clock.step(Duration.ofHours(-1));
    SnowflakeHandle handle = generator.newHandle();
    for (int i = 0; i < 1_000; i++) {
      assertThatExceptionOfType(ClockMovedBackwardsException.class).isThrownBy(generator::nextId);
      assertThatExceptionOfType(ClockMovedBackwardsException.class).isThrownBy(handle::nextId);
      assertThatExceptionOfType(ClockMovedBackwardsException.class)
          .isThrownBy(() -> generator.nextIds(new long[10]));
    }
    clock.step(Duration.ofHours(1));
    assertThat(generator.nextId()).isEqualTo(before + 1);
    assertThat(generator.stats().issued()).isEqualTo(2);
    assertThat(generator.stats().clockSteps()).isEqualTo(1);
  }

  @Test
  void givesUpOnAStoppedClockAndLosesNothing() {
    Snowflake generator = zero(TWO_BITS);
    for (int i = 0; i < 3; i++) {
      generator.nextId();
    }
    long last = generator.nextId();
    clock.freeze();
    for (int i = 0; i < 100; i++) {
      assertThatExceptionOfType(SequenceExhaustedException.class)
          .isThrownBy(generator::nextId)
          .withMessageMatching(
              "The clock stood at 2026-11-21T12:00:00\\.001Z for 100[0-9] ms before the next tick, and"
                  + " all 4 numbers of this one are used; correct the clock, which has stopped");
    }
    clock.thaw();
    assertThat(TWO_BITS.parse(generator.nextId()).tick())
        .isEqualTo(TWO_BITS.parse(last).tick() + 1);
    assertThat(generator.stats().issued()).isEqualTo(5);
    assertThat(generator.stats().waits()).isEqualTo(102);
  }

  /** Stops for five seconds after one reading of either clock. */
  private static final class PausedProcess extends ForwardingTimeSource {

    private final ManualTimeSource clock;
    private int readings = -1;

    PausedProcess(ManualTimeSource clock) {
      super(clock);
      this.clock = clock;
    }

    private long pausing(long reading) {
      if (readings-- == 0) {
        clock.advance(Duration.ofSeconds(5));
      }
      return reading;
    }

    @Override
    public long currentTimeMillis() {
      return pausing(super.currentTimeMillis());
    }

    @Override
    public long nanoTime() {
      return pausing(super.nanoTime());
    }
  }

  @Test
  void takesNoPauseBetweenTwoReadingsForAStoppedClock() {
    for (String tick : List.of("1ms", "10s")) {
      IdLayout layout = IdLayout.of("41t+10w+2s@2026-01-01T00:00:00Z/" + tick);
      int readings = 0;
      for (boolean paused = true; paused; readings++) {
        PausedProcess time = new PausedProcess(clock);
        Snowflake generator =
            Snowflake.builder()
                .layout(layout)
                .worker(3)
                .sequenceStart(SequenceStart.ZERO)
                .timeSource(time)
                .build();
        generator.nextIds(new long[4]);
        time.readings = readings;
        assertThatCode(generator::nextId)
            .as("paused after reading %s of a tick of %s", readings, tick)
            .doesNotThrowAnyException();
        paused = time.readings < 0;
      }
      assertThat(readings).isGreaterThan(5);
    }
  }

  @Test
  void stopsWaitingWhenTheClockStepsBackMeanwhile() {
    Clocks clocks = new Clocks(clock);
    Snowflake generator =
        Snowflake.builder()
            .worker(3)
            .maxWait(Duration.ofMillis(10))
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clocks)
            .build();
    long before = generator.nextId();
    clocks.step(-5);
    clocks.onPark(() -> clocks.step(-100));
    assertThatExceptionOfType(ClockMovedBackwardsException.class)
        .isThrownBy(generator::nextId)
        .withMessageStartingWith("The clock moved backwards by 10");
    clocks.onPark(() -> {});
    clocks.step(1_000);
    assertThat(IdLayout.CLASSIC.parse(generator.nextId()).tick())
        .isGreaterThan(IdLayout.CLASSIC.parse(before).tick());
    assertThat(generator.stats().issued()).isEqualTo(2);
  }

  @Test
  void returnsToAnInterruptedThreadWithoutAnIdButWithItsStatus() {
    Snowflake generator = zero(TWO_BITS);
    Thread.currentThread().interrupt();
    try {
      assertThatExceptionOfType(WaitInterruptedException.class)
          .isThrownBy(generator::nextId)
          .withMessage("Interrupted with 1 ms left to wait for the clock");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(generator.stats().issued()).isZero();
    assertThat(TWO_BITS.parse(generator.nextId()).sequence()).isZero();
  }

  @Test
  void statsAreReadableAfterItsEnd() {
    Snowflake generator = zero(TWO_BITS);
    generator.nextIds(new long[3]);
    generator.close();
    for (int refused = 0; refused < 3; refused++) {
      assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(generator::nextId);
    }
    generator.close();
    assertThat(generator.stats().issued()).isEqualTo(3);
    assertThat(generator.stats().lead()).isZero();
  }

  @Test
  void servesAnInterruptedThreadThatNeedNotWait() {
    Snowflake generator = zero(IdLayout.CLASSIC);
    long before = generator.nextId();
    Thread.currentThread().interrupt();
    try {
      assertThat(generator.nextId()).isEqualTo(before + 1);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void losesNoNumberWhenInterruptedInAWait() {
    Clocks clocks = new Clocks(clock);
    Snowflake generator =
        Snowflake.builder()
            .layout(TWO_BITS)
            .worker(3)
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clocks)
            .build();
    for (int i = 0; i < 4; i++) {
      generator.nextId();
    }
    clocks.onPark(() -> Thread.currentThread().interrupt());
    for (int i = 0; i < 50; i++) {
      clock.freeze();
      assertThatExceptionOfType(WaitInterruptedException.class).isThrownBy(generator::nextId);
      assertThat(Thread.interrupted()).isTrue();
      clock.thaw();
    }
    clocks.onPark(() -> {});
    IdParts next = TWO_BITS.parse(generator.nextId());
    assertThat(next.instant()).isEqualTo(START.plusMillis(2));
    assertThat(next.sequence()).isZero();
    assertThat(generator.stats().issued()).isEqualTo(5);
  }

  @Test
  void usesUpTheLastTickAndThenSaysThatTheLayoutHasEnded() {
    IdLayout layout = IdLayout.of("10t+2w+2s@2026-11-21T11:59:59.000Z/1ms");
    ManualTimeSource late = new ManualTimeSource(layout.expiresAt().minusMillis(2));
    Snowflake generator =
        Snowflake.builder()
            .layout(layout)
            .worker(3)
            .allowUnderTenYears()
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(late)
            .build();
    for (int sequence = 0; sequence < 4; sequence++) {
      assertThat(generator.nextId()).isEqualTo(layout.compose(1023, 0, 3, sequence));
    }
    for (int i = 0; i < 10; i++) {
      assertThatExceptionOfType(LayoutExpiredException.class)
          .isThrownBy(generator::nextId)
          .withMessage(
              "Layout 10t+2w+2s@2026-11-21T11:59:59Z/1ms ends at 2026-11-21T12:00:00.024Z, and the"
                  + " next ID would have the time 2026-11-21T12:00:00.024Z; change to a layout that"
                  + " ends later");
    }
    assertThat(generator.stats().issued()).isEqualTo(4);
    late.advance(Duration.ofDays(1));
    assertThatExceptionOfType(LayoutExpiredException.class)
        .isThrownBy(generator::nextId)
        .withMessageContaining(" the next ID would have the time 2026-11-22T12:00:00.023Z;");
    assertThatExceptionOfType(LayoutExpiredException.class)
        .isThrownBy(() -> generator.nextIds(new long[3]));
    assertThat(generator.stats().timeToExpiry()).isEqualTo(Duration.ofDays(-1).plusMillis(1));
    assertThat(generator.stats().issued()).isEqualTo(4);
  }

  @Test
  void usesUpTheLastTickOfAllSixtyThreeBits() {
    IdLayout layout = IdLayout.of("61t+2s@2026-01-01T00:00:00Z/1ms");
    ManualTimeSource late = new ManualTimeSource(layout.expiresAt().minusMillis(2));
    Snowflake generator =
        Snowflake.builder()
            .layout(layout)
            .allowUnderTenYears()
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(late)
            .build();
    long[] ids = new long[4];
    generator.nextIds(ids);
    assertThat(ids)
        .containsExactly(
            Long.MAX_VALUE - 3, Long.MAX_VALUE - 2, Long.MAX_VALUE - 1, Long.MAX_VALUE);
    late.advance(Duration.ofMillis(10));
    assertThatExceptionOfType(LayoutExpiredException.class).isThrownBy(generator::nextId);
    assertThat(generator.stats().issued()).isEqualTo(4);
  }

  @Test
  void stopsBeforeAnUnsignedIdTurnsNegative() {
    ManualTimeSource late = new ManualTimeSource(IdLayout.INSTAGRAM.positiveUntil().minusMillis(2));
    Snowflake generator =
        Snowflake.builder()
            .layout(IdLayout.INSTAGRAM)
            .worker(8191)
            .allowUnderTenYears()
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(late)
            .build();
    long[] ids = new long[1024];
    generator.nextIds(ids);
    assertThat(ids[1023]).isEqualTo(Long.MAX_VALUE);
    assertThatExceptionOfType(LayoutExpiredException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "Layout 41t+13w+10s@2011-08-24T21:07:01.721Z/1ms ends at 2046-06-27T17:00:49.497Z,"
                + " and the next ID would have the time 2046-06-27T17:00:49.497Z; change to a layout"
                + " that ends later");
  }

  @Test
  void issuesGrowingIdsWhereTheWorkerIsAboveTheTime() {
    Snowflake generator =
        Snowflake.builder().layout(IdLayout.SEATA).worker(1023).timeSource(clock).build();
    long last = -1;
    for (int i = 0; i < 10_000; i++) {
      long id = generator.nextId();
      assertThat(id).isGreaterThan(last);
      assertThat(id >>> 53).isEqualTo(1023);
      last = id;
    }
  }

  @Test
  void countsWhatItIssued() {
    Snowflake generator = zero(TWO_BITS);
    assertThat(generator.stats())
        .isEqualTo(
            new SnowflakeStats(
                0, 0, 0, Duration.ZERO, Duration.between(START, TWO_BITS.expiresAt())));
    generator.nextId();
    clock.advance(Duration.ofMillis(100));
    generator.nextIds(new long[7]);
    SnowflakeHandle handle = generator.newHandle();
    clock.advance(Duration.ofMillis(100));
    handle.nextId();
    assertThat(generator.stats().issued()).isEqualTo(9);
    assertThat(generator.stats().waits()).isEqualTo(2);
    assertThat(generator.stats().clockSteps()).isZero();
  }

  @Test
  void toStringNamesTheLayout() {
    Snowflake generator = zero(TWO_BITS);
    assertThat(generator.layout()).isSameAs(TWO_BITS);
    assertThat(generator).hasToString("Snowflake[41t+10w+2s@2026-01-01T00:00:00Z/1ms]");
  }
}
