package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class ClockSkewTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  private static final String IN_DOUBT = "clock in doubt: worker 0 of orders until 2026-11-01T00:";

  private final Fleet fleet = new Fleet();

  @Test
  void clockAheadOfTheStoresIsRefusedAMillisecondPastTheLimit() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    for (long millis : new long[] {4_999, 5_000}) {
      fleet.member().ahead(Duration.ofMillis(millis)).start(ONE_WORKER).close();
      fleet.pass(Duration.ofSeconds(10));
    }

    assertThatThrownBy(() -> fleet.member().ahead(Duration.ofMillis(5_001)).start(ONE_WORKER))
        .isInstanceOf(ClockSkewException.class)
        .hasMessage(
            "The clock of this host reads "
                + fleet.now().plusMillis(5_001)
                + ", 5001 ms ahead of the store's "
                + fleet.now()
                + "; maxClockSkew allows 5000 ms: synchronize the clocks");
  }

  @Test
  void clockBehindTheStoresIsRefusedAMillisecondPastTheLimit() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    for (long millis : new long[] {4_999, 5_000}) {
      fleet.member().ahead(Duration.ofMillis(-millis)).start(ONE_WORKER).close();
      fleet.pass(Duration.ofSeconds(10));
    }

    assertThatThrownBy(() -> fleet.member().ahead(Duration.ofMillis(-5_001)).start(ONE_WORKER))
        .isInstanceOf(ClockSkewException.class)
        .hasMessage(
            "The clock of this host reads "
                + fleet.now().minusMillis(5_001)
                + ", 5001 ms behind the store's "
                + fleet.now()
                + "; maxClockSkew allows 5000 ms: synchronize the clocks");
  }

  @Test
  void limitIsConfigurable() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    Member member = fleet.member().ahead(Duration.ofMillis(201));

    assertThatThrownBy(
            () -> member.start(ONE_WORKER, member.lease().maxClockSkew(Duration.ofMillis(200))))
        .isInstanceOf(ClockSkewException.class);
    member.start(ONE_WORKER, member.lease().maxClockSkew(Duration.ofMillis(201))).close();
  }

  @Test
  void onePeerWithAFastClockDoesNotShutOutTheOthers() {
    Member fast = fleet.member().ahead(HOUR);
    Member right = fleet.member();
    fast.start(TWO_WORKERS, fast.lease().worker(0));
    right.start(TWO_WORKERS, right.lease().worker(1));

    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.time.advance(Duration.ofSeconds(30));
    assertThat(worker(fleet.member().start(TWO_WORKERS))).isEqualTo(1);
  }

  @Test
  void restartWithTheClockAnHourBackTakesAnotherWorkerThanTheOneWithIdsOfTheFuture() {
    Snowflake before = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(1));
    before.nextId();
    before.close();

    Member again = fleet.member().ahead(HOUR.negated());
    Snowflake after = again.start(TWO_WORKERS, again.lease("host-0"));

    assertThat(worker(after)).isEqualTo(1 - worker(before));
    assertThat(timeOf(after, after.nextId())).isEqualTo(fleet.now().minus(HOUR));
  }

  @Test
  void restartWithTheClockAnHourBackReportsWhenTheOnlyWorkerIsFree() {
    Snowflake before = fleet.member().start(ONE_WORKER);
    before.nextId();
    before.close();

    Member again = fleet.member().ahead(HOUR.negated());
    assertThatThrownBy(() -> again.start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 1 of 1 are leased; the next is free at "
                + START.plusMillis(1));
  }

  @Test
  void restartWithTheClockAnHourBackContinuesAfterTheNewestIdIfThatIsAllowed() {
    Snowflake before = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(1));
    long last = before.nextId();
    before.close();

    Member again = fleet.member().ahead(HOUR.negated());
    Snowflake after = again.start(ONE_WORKER, again.lease().maxClockSkew(DAY));

    assertThat(timeOf(after, Fleet.nextAfter(after, last)))
        .isEqualTo(timeOf(before, last).plusMillis(1));
    assertThat(again.nanosParked()).isZero();
  }

  @Test
  void crashAndRestartWithTheClockAnHourBackWaitsForTheFence() {
    fleet.member().start(ONE_WORKER).nextId();
    Member again = fleet.member().ahead(HOUR.negated());

    assertThatThrownBy(() -> again.start(ONE_WORKER, again.lease().maxClockSkew(DAY)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 1 of 1 are leased; the next is free at "
                + START.plusSeconds(30));
  }

  @Test
  void windowsOfHostsADayApartNeverOverlap() {
    Duration apart = DAY.minusMillis(1);
    Member tomorrow = fleet.member().ahead(apart);
    Snowflake early = tomorrow.start(ONE_WORKER);
    early.nextId();
    early.close();
    Member today = fleet.member();
    Snowflake late = today.start(ONE_WORKER, today.lease().maxClockSkew(DAY));

    assertThat(notBefore(late)).isEqualTo(START.plus(apart).plusMillis(1));
    assertThat(late.nextId()).isPositive();
  }

  @Test
  void anAllowedSkewOfNothingTrustsTwoClocksThatAreNotReadAtOnce() {
    fleet.time.advance(Duration.ofNanos(900_000));
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().maxClockSkew(Duration.ZERO));
    fleet.time.advance(Duration.ofNanos(200_000)); // the wall clock has moved on by 1 ms

    fleet.pass(Duration.ofSeconds(16));

    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(Fleet.fence(snowflake)).isAfter(fleet.now().plusSeconds(20));
  }

  @Test
  void renewalAllowsForTheTimeThatTheStoreTakesToTellItsClock() {
    AtomicBoolean slow = new AtomicBoolean();
    fleet
        .store
        .thatMayForget()
        .withClock(
            () -> {
              if (slow.get()) {
                fleet.time.advance(Duration.ofMillis(20));
              }
              return fleet.time.currentTimeMillis();
            });
    fleet.store.put(
        "orders/worker/0",
        "firn-worker/1 state=released fence=2026-10-31T00:00:00Z windowMillis=30000 holder=x pid=1"
            + " token=t");
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().maxClockSkew(Duration.ZERO));
    slow.set(true);

    fleet.pass(Duration.ofSeconds(16));

    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  @Test
  void clockThatIsFarFromTheStoresIsLoggedOnceAndIsNoFailure() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    try (LogLines log = new LogLines("io.firn.lease")) {
      Member member = fleet.member();
      Snowflake snowflake = member.start(ONE_WORKER);
      member.ahead(Duration.ofSeconds(6));
      fleet.pass(Duration.ofMinutes(2));

      LeaseStatus status = snowflake.leaseStatus().orElseThrow();
      assertThat(status.lastError()).isEmpty();
      assertThat(status.clockDoubt().orElseThrow()).contains(" 6000 ms ahead of the store's ");
      assertThat(status.problem()).isEqualTo(status.clockDoubt());
      assertThat(status.describeProblem()).startsWith("; clock doubt: ");
      assertThat(status.fence()).isAfter(fleet.now().plusSeconds(20));
      assertThat(warnings(log)).singleElement().asString().startsWith(IN_DOUBT);

      member.ahead(Duration.ZERO);
      fleet.pass(Duration.ofSeconds(20));
      assertThat(snowflake.leaseStatus().orElseThrow().problem()).isEmpty();
      assertThat(log.messages())
          .last()
          .asString()
          .startsWith("clock trusted again: worker 0 of orders until ");
      member.ahead(Duration.ofSeconds(-6));
      fleet.pass(Duration.ofMinutes(1));
      assertThat(warnings(log)).hasSize(2).allMatch(message -> message.startsWith(IN_DOUBT));
    }
  }

  private static List<String> warnings(LogLines log) {
    return log.events().stream()
        .filter(event -> event.getLevel().equals(Level.WARNING))
        .map(LogRecord::getMessage)
        .toList();
  }

  @Test
  void shortWindowOfAProcessWhoseClockIsBehindLooksNotFreeToOthers() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    Snowflake snowflake = late.start(ONE_WORKER, late.lease().window(Duration.ofSeconds(1)));
    for (int i = 0; i < 30; i++) {
      Member other = fleet.member();
      assertThatThrownBy(() -> other.start(ONE_WORKER, other.lease().window(Duration.ofSeconds(1))))
          .isInstanceOf(NoFreeWorkerException.class);
      snowflake.nextId();
      fleet.pass(Duration.ofMillis(100));
    }
  }
}
