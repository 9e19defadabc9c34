package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Clocks that move away from each other, beside a store that is lost. */
class DriftingClockTest {

  private final Fleet fleet = new Fleet().withIdentity();

  @Test
  void processWhoseClockIsTooFarFromTheStoresIsRefused() {
    fleet.member().ahead(Duration.ofSeconds(5)).start(TWO_WORKERS).close();
    fleet.member().ahead(Duration.ofSeconds(-5)).start(TWO_WORKERS).close();
    for (long millis : new long[] {5_002, -5_001}) {
      assertThatThrownBy(() -> fleet.member().ahead(Duration.ofMillis(millis)).start(TWO_WORKERS))
          .as(millis + " ms")
          .isInstanceOf(ClockSkewException.class);
    }
  }

  @Test
  void holderWhoseClockDriftsAwaySlowlyKeepsItsFenceBelowWhereNewProcessesBegin() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake drifting = member.start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    for (int i = 1; i <= 120; i++) {
      fleet.pass(Duration.ofSeconds(5));
      member.ahead(Duration.ofMillis(i * 350L));
    }
    fleet.store.forgetAll();
    fleet.store.withIdentity("run2");

    Snowflake newProcess = fleet.member().start(ONE_WORKER);
    assertThat(notBefore(newProcess)).isAfterOrEqualTo(fence(drifting));
    assertThat(drifting.leaseStatus().orElseThrow().clockDoubt().orElseThrow())
        .contains(" ms ahead of the store's ");
    newProcess.close();
    member.ahead(Duration.ZERO);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(timeOf(drifting, drifting.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void storeWhoseClockIsADayAheadForAWhileMovesNoFenceThere() {
    fleet.store.thatMayForget();
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() + 86_400_000);
    fleet.pass(Duration.ofMinutes(6));
    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
    assertThat(fence(snowflake)).isBefore(fleet.now().plusSeconds(36));
    assertThat(snowflake.leaseStatus().orElseThrow().clockDoubt().orElseThrow())
        .contains(" ms behind the store's ");

    fleet.store.withClock(fleet.time::currentTimeMillis);
    fleet.pass(Duration.ofMinutes(1));
    assertThat(snowflake.leaseStatus().orElseThrow().clockDoubt()).isEmpty();
  }

  @Test
  void clockThatIsSlewedAwayDoesNotReachWhereNewProcessesBegin() {
    fleet.store.thatMayForget();
    Duration settle = Duration.ofSeconds(45);
    Member first = fleet.member();
    first.start(ONE_WORKER, first.lease().settleTime(settle)).close();
    fleet.time.advance(Duration.ofMinutes(3));
    Member member = fleet.member();
    Snowflake drifting = member.start(ONE_WORKER, member.lease().settleTime(settle));
    for (int i = 0; i < 2900; i++) { // by a twelfth, the fastest that chrony slews
      fleet.pass(Duration.ofMillis(100));
      member.ahead(Duration.ofMillis(i * 100L / 12));
    }
    fleet.store.forgetAll();
    fleet.store.withIdentity("run2");
    Member newProcess = fleet.member();
    assertThat(notBefore(newProcess.start(ONE_WORKER, newProcess.lease().settleTime(settle))))
        .isAfterOrEqualTo(fence(drifting));
  }
}
