package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.timeOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the processes of a namespace agree on for the loss of its store. */
class AgreementTest {

  private final Fleet fleet = new Fleet().withIdentity();

  @Test
  void processThatNeedsMoreThanTheSettlingTimeIsRefusedWithTheFigures() {
    fleet.member().start(TWO_WORKERS);
    Member member = fleet.member();

    assertThatThrownBy(
            () -> member.start(TWO_WORKERS, member.lease().window(Duration.ofMillis(45_001))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "window: window 45001 + maxLead 0 + maxClockSkew 5000 + maxSplit 10000 ms (expected:"
                + " at most 60000 ms together, the settling time of namespace orders)");
    member.start(TWO_WORKERS, member.lease().window(Duration.ofSeconds(45))).close();
  }

  @Test
  void firstProcessSetsTheSettlingTimeThatItNeeds() {
    Member member = fleet.member();
    member
        .builder(ONE_WORKER, member.lease().window(Duration.ofSeconds(100)))
        .maxLead(Duration.ofSeconds(7))
        .build();

    assertThat(fleet.mark().settleMillis()).isEqualTo(122_000);
  }

  @Test
  void firstProcessThatNeedsMoreThanTheLongestSettlingTimeIsRefused() {
    Duration longest = Duration.ofDays(1).minusSeconds(15);
    Member member = fleet.member();

    assertThatThrownBy(
            () -> member.start(TWO_WORKERS, member.lease().window(longest.plusMillis(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "window: window 86385001 + maxLead 0 + maxClockSkew 5000 + maxSplit 10000 ms (expected:"
                + " at most 86400000 ms together, the longest settling time of a namespace)");
    assertThat(fleet.store.read(Fleet.LAYOUT)).isEmpty();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().window(longest));
    assertThat(fleet.mark().settleMillis()).isEqualTo(86_400_000);
    long free = 1 - Fleet.worker(snowflake);
    assertThat(
            fleet
                .namespace()
                .reserve(free, TWO_WORKERS, "batch", WorkerEntry.NEVER, false)
                .reserved())
        .isTrue();
  }

  @Test
  void processThatWouldGiveTheNamespaceLessAfterAFlushIsRefused() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().settleTime(Duration.ofSeconds(61)));
    Member other = fleet.member();

    assertThatThrownBy(() -> other.start(TWO_WORKERS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "settleTime: 60000 ms (expected: at least 61000 ms, which namespace orders has: set it,"
                + " or a flush of the store would make it shorter)");
    other.start(TWO_WORKERS, other.lease().settleTime(Duration.ofSeconds(70))).close();
    assertThat(fleet.mark().settleMillis()).isEqualTo(61_000);
  }

  @Test
  void holderThatRestoresTheNamespaceKeepsTheAgreement() {
    Member first = fleet.member();
    Snowflake holder = first.start(TWO_WORKERS, first.lease().afterLoss(AfterLoss.WAIT));
    fleet.store.forgetAll();
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(20));

    assertThat(fleet.mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void processWithAnotherAfterLossIsRefused() {
    fleet.member().start(TWO_WORKERS);
    Member member = fleet.member();

    assertThatThrownBy(() -> member.start(TWO_WORKERS, member.lease().afterLoss(AfterLoss.WAIT)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "afterLoss: wait (expected: ahead, which namespace orders has: set it, or a flush of"
                + " the store would change that)");
  }

  @Test
  void processThatWouldGiveALostNamespaceAnotherAfterLossIsRefused() {
    Member first = fleet.member();
    first.start(TWO_WORKERS, first.lease().afterLoss(AfterLoss.WAIT)).close();

    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("afterLoss: ahead (expected: wait, which namespace orders has: ");
    assertThat(fleet.mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
  }

  @Test
  void workerIsReservedAlsoInANamespaceWhoseNewProcessesWait() {
    Member first = fleet.member();
    first.start(TWO_WORKERS, first.lease().afterLoss(AfterLoss.WAIT)).close();
    fleet.time.advance(Duration.ofSeconds(100));
    long free = 1 - fleet.namespace().workers().get(0).worker();
    WorkerEntry reserved =
        fleet.namespace().reserve(free, TWO_WORKERS, "batch", WorkerEntry.NEVER, false);

    assertThat(reserved.reserved()).isTrue();
    assertThat(fleet.mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
  }

  /** What holds no window needs none that fits: only the clock skew and the split must. */
  @Test
  void workersAreReservedAndBlocksTakenWhereTheSettlingTimeIsShort() {
    Duration settle = Duration.ofMillis(15_100);
    Member first = fleet.member();
    startWithShortTimes(first, settle).close();
    fleet.store.thatMayForget();
    fleet.time.advance(Duration.ofSeconds(1));

    LeaseConfig lease = WorkerTimes.defaultLease(fleet.store, NAMESPACE);
    WorkerTimes times = WorkerTimes.of(lease, TWO_WORKERS, settle, fleet.time);
    assertThat(times.take(1, 100, Optional.empty()).workers()).containsExactly(1L);
    assertThatThrownBy(() -> times.take(1, 101, Optional.empty()))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.time.advance(Duration.ofSeconds(1));
    WorkerEntry reserved =
        fleet.namespace().reserve(1, TWO_WORKERS, "batch", WorkerEntry.NEVER, true);
    assertThat(reserved.reserved()).isTrue();
    assertThat(fleet.mark().settleMillis()).isEqualTo(settle.toMillis());
  }

  private static Snowflake startWithShortTimes(Member member, Duration settle) {
    return member.start(
        TWO_WORKERS,
        member
            .lease()
            .window(Duration.ofSeconds(2))
            .maxClockSkew(Duration.ofSeconds(1))
            .maxSplit(Duration.ofSeconds(1))
            .settleTime(settle));
  }

  @Test
  void holderContinuesThoughANewProcessHasCreatedTheNamespaceWithAnotherAgreement() {
    fleet.store.thatMayForget();
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
}
