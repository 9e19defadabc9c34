package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.SETTLE;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a worker ID is free again, in a store with an identity. */
class FreeAgainTest {

  private final Fleet fleet = new Fleet().withIdentity();

  @Test
  void workerOfACrashedHolderIsFreeTheSplitAfterItsFence() {
    fleet.member().start(ONE_WORKER); // and crashes
    fleet.time.advance(Duration.ofMillis(39_999));
    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.time.advance(Duration.ofMillis(1));

    assertThat(notBefore(fleet.member().start(ONE_WORKER))).isEqualTo(START.plusSeconds(40));
  }

  @Test
  void processWhoseLeaseHasExpiredTakesItsOwnWorkerAtOnce() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.time.advance(Duration.ofSeconds(31));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(notBefore(snowflake)).isBetween(START.plusSeconds(31), START.plusSeconds(32));
  }

  /** Its commits may be under way, as those of any holder. */
  @Test
  void processWhoseLeaseHasExpiredTakesItsOwnWorkerAfterTheGraceOfAWatermark() {
    fleet.member().start(ONE_WORKER).close();
    fleet.watermark().current();
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.time.advance(Duration.ofSeconds(31));
    fleet.pass(Duration.ofMillis(8_900));
    assertThat(notBefore(snowflake)).isEqualTo(START);
    fleet.pass(Duration.ofSeconds(3));

    assertThat(notBefore(snowflake)).isAfterOrEqualTo(START.plusSeconds(40));
  }

  @Test
  void pinnedWorkerThatWasReleasedAheadOfTheClockIsFreeAtOnce() {
    fleet.store.thatMayForget();
    for (int life = 0; life < 5; life++) {
      Member member = fleet.member();
      Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
      assertThat(timeOf(snowflake, snowflake.nextId()))
          .isEqualTo(START.plus(SETTLE).plusMillis(life));
      assertThat(fence(snowflake)).isEqualTo(START.plus(SETTLE).plusSeconds(30));
      snowflake.close();
    }
    assertThat(fleet.now()).isEqualTo(START);
  }

  @Test
  void pinnedWorkerIsWaitedForAlsoIfTheStoresClockStepsBackMeanwhile() {
    Member first = fleet.member();
    first.start(TWO_WORKERS, first.lease().worker(0)); // and crashes
    long[] behind = {0};
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() - behind[0]);
    Member second = fleet.member();
    second.atNextPark(() -> behind[0] = 3_000);

    assertThat(worker(second.start(TWO_WORKERS, second.lease().worker(0)))).isZero();
  }

  @Test
  void pinnedWorkerOfACrashedHolderIsWaitedForUnasked() {
    for (Duration window : List.of(Duration.ofMillis(500), Duration.ofSeconds(3))) {
      Member first = fleet.member();
      first.start(TWO_WORKERS, first.lease().worker(0).window(window)); // and crashes
      Member second = fleet.member();
      second.start(TWO_WORKERS, second.lease().worker(0).window(window)).close();

      assertThat(second.nanosParked())
          .as("window " + window)
          .isGreaterThanOrEqualTo(window.plusSeconds(10).toNanos());
    }
  }

  @Test
  void pinnedWorkerOfACrashedHolderThatLeadsIsWaitedFor() {
    for (int seconds : new int[] {30, 19, 3}) {
      Duration window = Duration.ofSeconds(seconds);
      Duration settle = Duration.ofMinutes(seconds == 30 ? 2 : 1);
      Fleet other = new Fleet().withIdentity();
      other.store.thatMayForget();
      Member first = other.member();
      first.start(TWO_WORKERS, first.lease().worker(0).window(window).settleTime(settle));
      Member second = other.member();
      second.start(TWO_WORKERS, second.lease().worker(0).window(window).settleTime(settle)).close();
    }
  }
}
