package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RenewTest {

  private static final IdLayout TEN_MILLIS_A_TICK = IdLayout.of("40t+4s@2026-01-01T00:00:00Z/10ms");

  private final Fleet fleet = new Fleet();

  @Test
  void renewsAtHalfTheWindowAndNotBefore() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    fleet.pass(Duration.ofMillis(14_900));
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));
    long callsBefore = fleet.store.calls();
    fleet.pass(Duration.ofMillis(100));
    assertThat(fleet.store.calls() - callsBefore).isEqualTo(2); // and the layout is read

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(45).toEpochMilli());
    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(2);
  }

  @Test
  void schedulesTheNextRenewal() {
    Member member = fleet.member();
    member.start(ONE_WORKER);

    assertThat(member.keeper.runDue()).isEqualTo(15_000_000_000L);
    fleet.time.advance(Duration.ofMillis(14_999));
    assertThat(member.keeper.runDue()).isEqualTo(1_000_000L);
    fleet.time.advance(Duration.ofMillis(1));
    assertThat(member.keeper.runDue()).isEqualTo(15_000_000_000L);
    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(2);
  }

  @Test
  void leavesTheTickThatIsBeingDrawnFrom() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    fleet.time.advance(Duration.ofSeconds(15));
    long before = snowflake.nextId();

    member.keeper.runDue();

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
    assertThat(Fleet.timeOf(snowflake, Fleet.nextAfter(snowflake, before))).isEqualTo(fleet.now());
    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void keepsItsWorkerForADay() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    long last = 0;

    for (int minute = 0; minute < 24 * 60; minute++) {
      fleet.pass(Duration.ofMinutes(1));
      last = Fleet.nextAfter(snowflake, last);
      assertThat(Fleet.timeOf(snowflake, last)).isEqualTo(fleet.now());
    }

    assertThat(worker(snowflake)).isEqualTo(worker);
    assertThat(Fleet.notBefore(snowflake)).isEqualTo(START);
  }

  @Test
  void renewsPastTheLeadOfTheNewestId() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.builder(ONE_WORKER, member.lease()).maxLead(Duration.ofSeconds(15)).build();
    fleet.pass(Duration.ofMillis(14_999));
    Instant newest = START;
    while (newest.isBefore(START.plusMillis(29_998))) {
      newest = Fleet.timeOf(snowflake, snowflake.nextId());
    }

    fleet.pass(Duration.ofMillis(1));

    assertThat(fence(snowflake)).isEqualTo(newest.plusMillis(1).plusSeconds(30));
  }

  @Test
  void aFenceNeverMovesBackWhenTheClockDoes() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(16));
    Instant before = fence(snowflake);

    member.ahead(Duration.ofHours(-1));
    fleet.pass(Duration.ofMinutes(1));

    assertThat(fence(snowflake)).isEqualTo(before);
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(before.toEpochMilli());
  }

  @Test
  void issuesNothingOutsideItsWindowOnAnyMillisecond() {
    for (int offset = 0; offset <= 11; offset++) {
      Fleet fresh = new Fleet();
      fresh.time.advance(Duration.ofMillis(offset));
      Member member = fresh.member();
      Snowflake snowflake =
          member
              .builder(TEN_MILLIS_A_TICK, member.lease().window(Duration.ofMillis(101)))
              .maxWait(Duration.ZERO)
              .sequenceStart(SequenceStart.ZERO)
              .build();
      Instant begin = Fleet.notBefore(snowflake);
      Instant end = fence(snowflake);
      assertThat(begin).isEqualTo(START.plusMillis(offset));
      assertThat(end).isEqualTo(begin.plusMillis(101));
      fresh.store.goDown();

      Instant first = Fleet.timeOf(snowflake, snowflake.nextId());
      Instant last = drawUntilExpired(fresh, snowflake);

      // The first whole tick, and the last whole tick, inside the window.
      assertThat(first).isEqualTo(ceil(begin));
      assertThat(last).isEqualTo(floor(end).minusMillis(10));
    }
  }

  private static Instant drawUntilExpired(Fleet fleet, Snowflake snowflake) {
    Instant last = START;
    for (int millis = 0; millis < 300; millis++) {
      try {
        last = Fleet.timeOf(snowflake, snowflake.nextId());
      } catch (LeaseExpiredException e) {
        assertThat(fleet.now()).isAfterOrEqualTo(floor(fence(snowflake)));
        return last;
      }
      fleet.pass(Duration.ofMillis(1));
    }
    throw new AssertionError("never expired");
  }

  private static Instant floor(Instant instant) {
    return Instant.ofEpochMilli(Math.floorDiv(instant.toEpochMilli(), 10) * 10);
  }

  private static Instant ceil(Instant instant) {
    return floor(instant.plusMillis(9));
  }

  @Test
  void burstStopsAtTheFence() {
    Member member = fleet.member();
    Snowflake snowflake =
        member
            .builder(ONE_WORKER, member.lease().window(Duration.ofMillis(100)))
            .maxLead(Duration.ofMillis(50))
            .maxWait(Duration.ZERO)
            .build();
    fleet.store.goDown();
    fleet.time.advance(Duration.ofMillis(60));

    long last = 0;
    for (int i = 0; i < 40 * 64; i++) {
      last = Fleet.nextAfter(snowflake, last);
      IdParts parts = snowflake.layout().parse(last);
      assertThat(parts.instant()).isBefore(START.plusMillis(100));
      if (parts.instant().equals(START.plusMillis(99)) && parts.sequence() == 63) {
        break;
      }
    }

    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
    assertThat(Fleet.timeOf(snowflake, last)).isEqualTo(START.plusMillis(99));
  }

  @Test
  void callerThatFindsTheWindowUsedUpHasItRenewedAtOnce() {
    Member member = fleet.member();
    fleet.store.withClock(member::currentTimeMillis);
    Snowflake snowflake = member.start(ONE_WORKER);
    member.keeper.runDue();
    member.ahead(Duration.ofMinutes(5));

    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
    assertThat(member.keeper.runDue()).isEqualTo(15_000_000_000L);

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(fleet.now().plus(Duration.ofMinutes(5)));
  }

  @Test
  void statusShowsTheTimeSinceTheLastRenewal() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(20));

    assertThat(snowflake.leaseStatus().orElseThrow())
        .isEqualTo(
            new LeaseStatus(
                "orders",
                0,
                "host-0",
                START,
                START.plusSeconds(45),
                START.plusSeconds(20),
                Duration.ofSeconds(5),
                "faulty:",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
  }
}
