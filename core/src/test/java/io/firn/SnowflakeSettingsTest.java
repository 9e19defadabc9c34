package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.lease.LeaseConfig;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SnowflakeSettingsTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private static Snowflake.Builder at(Instant now) {
    return Snowflake.builder().timeSource(new ManualTimeSource(now));
  }

  private static Snowflake.Builder complete() {
    return at(START).worker(1);
  }

  private static void refuses(Snowflake.Builder builder, String message) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
  }

  private static void refuses(Runnable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call::run).withMessage(message);
  }

  @Test
  void layoutIsClassicUnlessSet() {
    assertThat(complete().build().layout()).isSameAs(IdLayout.CLASSIC);
  }

  @Test
  void neverGuessesAWorkerOrADatacenter() {
    refuses(at(START), "worker: not set (expected: 0..1023, it is never guessed)");
    refuses(
        at(START).layout(IdLayout.TWITTER).worker(1),
        "datacenter: not set (expected: 0..31, it is never guessed)");
    refuses(
        at(START).layout(IdLayout.TWITTER).datacenter(1),
        "worker: not set (expected: 0..31, it is never guessed)");
    at(START).layout(IdLayout.MASTODON).build();
  }

  @Test
  void refusesAWorkerOrDatacenterThatDoesNotFit() {
    at(START).worker(0).build();
    at(START).worker(1023).build();
    refuses(
        at(START).worker(1024), "worker: 1024 (expected: 0..1023, the layout has 10 worker bits)");
    refuses(() -> at(START).worker(-1), "worker: -1 (expected: 0 or more)");
    refuses(() -> at(START).datacenter(-1), "datacenter: -1 (expected: 0 or more)");
    at(START).layout(IdLayout.TWITTER).datacenter(31).worker(31).build();
    refuses(
        at(START).layout(IdLayout.TWITTER).datacenter(32).worker(31),
        "datacenter: 32 (expected: 0..31, the layout has 5 datacenter bits)");
    refuses(
        complete().datacenter(0),
        "datacenter: 0 (expected: none, the layout is 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
    refuses(
        complete().datacenter(1),
        "datacenter: 1 (expected: none, the layout is 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void limitsLeadAndWait() {
    Duration year = Duration.ofDays(365);
    complete().maxLead(year).build();
    complete().maxWait(year).build();
    complete().maxLead(Duration.ZERO).maxWait(Duration.ZERO).build();
    String range = " (expected: 0ms..8760h)";
    String whole = " (expected: 0ms..8760h in whole milliseconds)";
    refuses(() -> complete().maxLead(Duration.ofMillis(-1)), "maxLead: PT-0.001S" + range);
    refuses(() -> complete().maxLead(year.plusMillis(1)), "maxLead: PT8760H0.001S" + range);
    refuses(() -> complete().maxLead(Duration.ofNanos(1)), "maxLead: PT0.000000001S" + whole);
    refuses(() -> complete().maxWait(Duration.ofMillis(-1)), "maxWait: PT-0.001S" + range);
    refuses(() -> complete().maxWait(year.plusMillis(1)), "maxWait: PT8760H0.001S" + range);
    refuses(() -> complete().maxWait(Duration.ofNanos(999_999)), "maxWait: PT0.000999999S" + whole);
    refuses(() -> ClockPolicy.baidu(Duration.ofNanos(1)), "maxLead: PT0.000000001S" + whole);
  }

  @Test
  void limitsTheBoundOfASequenceStart() {
    complete().sequenceStart(SequenceStart.random(1)).build();
    complete().sequenceStart(SequenceStart.random(4095)).build();
    complete().sequenceStart(SequenceStart.rotating(4096)).build();
    refuses(
        complete().sequenceStart(SequenceStart.rotating(4097)),
        "sequenceStart: rotating(4097) (expected: a bound in 1..4096, the layout has 12 sequence"
            + " bits)");
    refuses(
        complete().sequenceStart(SequenceStart.random(4097)),
        "sequenceStart: random(4097) (expected: a bound in 1..4096, the layout has 12 sequence"
            + " bits)");
    refuses(() -> SequenceStart.random(0), "bound: 0 (expected: at least 1)");
    refuses(() -> SequenceStart.rotating(-1), "bound: -1 (expected: at least 1)");
  }

  @Test
  void refusesASettingTwice() {
    refuses(() -> complete().worker(2), "worker: 2 (expected: set once, it is 1)");
    refuses(
        () -> complete().datacenter(1).datacenter(2),
        "datacenter: 2 (expected: set once, it is 1)");
    refuses(
        () -> complete().layout(IdLayout.GAME).layout(IdLayout.LEAF),
        "layout: 41t+10w+12s@2010-11-04T01:42:54.657Z/1ms (expected: set once, it is"
            + " 31t+20w+12s@2026-01-01T00:00:00Z/1s)");
    refuses(
        () -> complete().maxLead(Duration.ofMillis(1)).maxLead(Duration.ofMillis(2)),
        "maxLead: PT0.002S (expected: set once, it is PT0.001S)");
    refuses(
        () -> complete().maxWait(Duration.ofMillis(1)).maxWait(Duration.ofMillis(2)),
        "maxWait: PT0.002S (expected: set once, it is PT0.001S)");
    refuses(
        () -> complete().sequenceStart(SequenceStart.ZERO).sequenceStart(SequenceStart.CONTINUE),
        "sequenceStart: continue (expected: set once, it is zero)");
    refuses(
        () -> complete().clockPolicy(ClockPolicy.TWITTER).clockPolicy(ClockPolicy.TWITTER),
        "clockPolicy: twitter (expected: set once, it is twitter)");
    refuses(
        () -> complete().allowUnderTenYears().allowUnderTenYears(),
        "allowUnderTenYears: true (expected: set once, it is true)");
    TimeSource time = TimeSource.system();
    refuses(
        () -> Snowflake.builder().timeSource(time).timeSource(time),
        "timeSource: INSTANCE (expected: set once, it is INSTANCE)");
  }

  @Test
  void buildsOnce() {
    Snowflake.Builder builder = complete();
    builder.build();
    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessage("The builder has built already; start another one");
  }

  @Test
  void refusesSettingsBesideAClockPolicy() {
    refuses(
        complete().clockPolicy(ClockPolicy.TWITTER).maxLead(Duration.ofSeconds(5)),
        "maxLead: 5s (expected: not set beside clockPolicy)");
    refuses(
        complete().maxWait(Duration.ZERO).clockPolicy(ClockPolicy.TWITTER),
        "maxWait: 0ms (expected: not set beside clockPolicy)");
    refuses(
        complete().clockPolicy(ClockPolicy.TWITTER).sequenceStart(SequenceStart.ZERO),
        "sequenceStart: zero (expected: not set beside clockPolicy)");
  }

  @Test
  void refusesAnEpochInTheFuture() {
    Instant epoch = IdLayout.CLASSIC.epoch();
    at(epoch).worker(1).build();
    at(epoch.plusMillis(1)).worker(1).build();
    refuses(
        at(epoch.minusMillis(1)).worker(1),
        "epoch: 2026-01-01T00:00:00Z (expected: not in the future, the clock reads"
            + " 2025-12-31T23:59:59.999Z)");
  }

  @Test
  void refusesALayoutThatHasEnded() {
    refuses(
        complete().layout(IdLayout.BAIDU).allowUnderTenYears(),
        "layout: 28t+22w+13s@2016-05-19T16:00:00Z/1s (expected: a layout that has not ended; it"
            + " ended on"
            + " 2024-11-20T13:24:16Z)");
    Instant end = IdLayout.CLASSIC.expiresAt();
    at(end.minusMillis(1)).worker(1).allowUnderTenYears().build();
    refuses(
        at(end).worker(1).allowUnderTenYears(),
        "layout: 41t+10w+12s@2026-01-01T00:00:00Z/1ms (expected: a layout that has not ended; it"
            + " ended on"
            + " 2095-09-07T15:47:35.552Z)");
  }

  @Test
  void refusesALayoutWithUnderTenYearsLeftUnlessAskedFor() {
    Instant tenYearsBefore = IdLayout.CLASSIC.expiresAt().minus(Duration.ofDays(3652));
    at(tenYearsBefore).worker(1).build();
    at(tenYearsBefore.minusMillis(1)).worker(1).build();
    Instant late = tenYearsBefore.plusMillis(1);
    at(late).worker(1).allowUnderTenYears().build();
    refuses(
        at(late).worker(1),
        "layout: 41t+10w+12s@2026-01-01T00:00:00Z/1ms (expected: ten years left or"
            + " allowUnderTenYears(), it ends on 2095-09-07T15:47:35.552Z)");
  }

  @Test
  void refusesALeadThatReachesTheEndOfTheLayout() {
    IdLayout layout = IdLayout.of("10t+53s@2026-11-21T12:00:00Z/1ms");
    at(START).layout(layout).allowUnderTenYears().maxLead(Duration.ofMillis(1022)).build();
    at(START).layout(layout).allowUnderTenYears().maxLead(Duration.ofMillis(1023)).build();
    refuses(
        at(START).layout(layout).allowUnderTenYears().maxLead(Duration.ofMillis(1024)),
        "maxLead: 1024ms (expected: less than the layout has left, it ends on"
            + " 2026-11-21T12:00:01.024Z)");
    refuses(
        at(START).layout(layout).allowUnderTenYears().maxLead(Duration.ofDays(365)),
        "maxLead: 8760h (expected: less than the layout has left, it ends on"
            + " 2026-11-21T12:00:01.024Z)");
  }

  @Test
  void checksTheWorkerOfALeaseWithoutAskingItsStore() {
    LeaseConfig lease = LeaseConfig.builder(new InMemoryRegisterStore(), "a").worker(5000).build();
    refuses(
        at(START).lease(lease)::check,
        "worker: 5000 (expected: 0..1023, the layout is 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void refusesAWindowOfLessThanEightTicksHoweverLong() {
    for (int exponent : new int[] {60, 61}) {
      Duration tick = Duration.ofMillis(1L << exponent);
      IdLayout layout = IdLayout.builder().time(1).worker(10).epoch(START).tick(tick).build();
      assertThatIllegalArgumentException()
          .isThrownBy(at(START).layout(layout).lease(new InMemoryRegisterStore(), "a")::check)
          .withMessageStartingWith("window: 30s (expected: at least 8 ticks of ");
    }
  }

  @Test
  void refusesALayoutWhoseIdsWouldNotGrow() {
    refuses(
        complete().layout(IdLayout.of("12s+41t+10w@2026-01-01T00:00:00Z/1ms")),
        "layout: 12s+41t+10w@2026-01-01T00:00:00Z/1ms (expected: time above the sequence, or IDs"
            + " would not grow)");
    complete().layout(IdLayout.of("10w+41t+12s@2026-01-01T00:00:00Z/1ms")).build();
  }

  @Test
  void readsTheClockUntilTwoReadingsAgreeWhenBuiltAndNotAgain() {
    ManualTimeSource clock = new ManualTimeSource(IdLayout.CLASSIC.epoch());
    int[] reads = {0};
    Clocks clocks =
        new Clocks(clock)
            .onRead(
                () -> {
                  reads[0]++;
                  clock.step(Duration.ofDays(reads[0] == 1 ? 0 : -1));
                });
    Snowflake generator = Snowflake.builder().worker(1).timeSource(clocks).build();
    assertThat(reads[0]).isEqualTo(2);
    clocks.onRead(() -> {});
    clock.step(Duration.ofDays(2));
    assertThat(IdLayout.CLASSIC.parse(generator.nextId()).instant())
        .isEqualTo("2026-01-02T00:00:00Z");
  }
}
