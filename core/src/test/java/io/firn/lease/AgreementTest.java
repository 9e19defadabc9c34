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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holders and the agreement about losses that a newcomer made after a flush. */
class AgreementTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void mayForget() {
    fleet.store.thatMayForget().withClock(fleet.time::currentTimeMillis).withIdentity("run1");
  }

  @Test
  void holderContinuesThoughANewcomerHasCreatedTheNamespaceWithAnotherAgreement() {
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofMinutes(3));
    fleet.store.forgetAll();
    fleet.store.withIdentity("run2");
    Member other = fleet.member();
    LeaseConfig.Builder lease =
        other.lease().afterLoss(AfterLoss.WAIT).acquireTimeout(Duration.ZERO);
    assertThatThrownBy(() -> other.start(TWO_WORKERS, lease))
        .isInstanceOf(NoFreeWorkerException.class);

    fleet.pass(Duration.ofMinutes(10));
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void clockThatIsSlewedAwayDoesNotReachWhereNewcomersBegin() {
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
    Member newcomer = fleet.member();
    assertThat(notBefore(newcomer.start(ONE_WORKER, newcomer.lease().settleTime(settle))))
        .isAfterOrEqualTo(fence(drifting));
  }
}
