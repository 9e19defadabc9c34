package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.StoreException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnknownOutcomeTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void recordTheLayout() {
    fleet.member().start(TWO_WORKERS).close();
    fleet.store.forgetAll();
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + TWO_WORKERS);
  }

  @Test
  void layoutIsRecordedEvenIfTheReplyIsLost() {
    for (Fault fault : new Fault[] {Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.LATE}) {
      Fleet fresh = new Fleet();
      fresh.store.nextWrites(fault);
      fresh.member().start(ONE_WORKER);
      fresh.store.deliverLate();

      assertThat(Namespace.of(fresh.store, "orders").layout()).contains(ONE_WORKER);
    }
  }

  @Test
  void unknownOutcomesEndTheAcquisition() {
    Fleet fresh = new Fleet();
    Fault[] lost = new Fault[2000];
    Arrays.fill(lost, Fault.REQUEST_LOST);
    fresh.store.nextWrites(lost);

    assertThatThrownBy(() -> fresh.member().start(ONE_WORKER))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Store faulty: did not report the outcome of 5 writes of the layout of namespace"
                + " orders; try again");
  }

  @Test
  void acquisitionThatWasAppliedIsRecognised() {
    fleet.store.nextWrites(Fault.REPLY_LOST);

    Snowflake snowflake = fleet.member().start(TWO_WORKERS);

    assertThat(fleet.record(worker(snowflake)).held()).isTrue();
    assertThat(fleet.namespace().workers()).hasSize(1);
    snowflake.nextId();
    snowflake.close();
    assertThat(fleet.record(worker(snowflake)).held()).isFalse();
  }

  @Test
  void acquisitionThatWasLostIsTriedAgain() {
    fleet.store.nextWrites(Fault.REQUEST_LOST);

    Snowflake snowflake = fleet.member().start(TWO_WORKERS);

    snowflake.nextId();
    assertThat(fleet.namespace().workers()).hasSize(1);
  }

  @Test
  void pinnedAcquisitionThatWasLostIsTriedAgain() {
    fleet.store.nextWrites(Fault.REQUEST_LOST);
    Member member = fleet.member();

    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));

    assertThat(worker(snowflake)).isEqualTo(1);
    snowflake.nextId();
  }

  @Test
  void acquisitionThatIsAppliedLateMakesNoDuplicates() {
    fleet.store.nextWrites(Fault.LATE);
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS);
    long id = snowflake.nextId();

    fleet.store.deliverLate();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(Fleet.nextAfter(snowflake, id)).isPositive();
    fleet.pass(Duration.ofSeconds(30));
    assertThat(worker(fleet.member().start(TWO_WORKERS))).isNotEqualTo(worker(snowflake));
  }

  @Test
  void acquisitionsThatStayUnknownEndInAClearError() {
    Fault[] lost = new Fault[10_000];
    Arrays.fill(lost, Fault.REQUEST_LOST);
    fleet.store.nextWrites(lost);

    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching(
            "Store faulty: did not report the outcome of 5 writes; no worker ID was leased");
  }

  @Test
  void renewalThatWasAppliedIsRecognised() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.REPLY_LOST);

    fleet.pass(Duration.ofSeconds(15));

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(60));
  }

  @Test
  void renewalThatWasLostIsTriedAgainSoon() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.REQUEST_LOST);

    fleet.pass(Duration.ofSeconds(15));
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError())
        .contains("Store faulty: did not report the outcome of a renewal; the renewal is retried");

    fleet.pass(Duration.ofMillis(1_900)); // a sixteenth of the window
    assertThat(fence(snowflake)).isEqualTo(START.plusMillis(46_900));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  @Test
  void lateRenewalIsFollowedByAFurtherOne() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.LATE);
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));

    fleet.store.deliverLate(); // the register has the fence of 15 s ago, and a new version
    fleet.pass(Duration.ofMillis(1_900));

    assertThat(fence(snowflake)).isEqualTo(START.plusMillis(46_900));
    assertThat(fleet.record(worker(snowflake)).fenceMillis())
        .isEqualTo(fence(snowflake).toEpochMilli());
  }

  @Test
  void renewalThatIsAppliedAfterTheNextOneDoesNothing() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.LATE);
    fleet.pass(Duration.ofSeconds(20));
    long fence = fleet.record(worker(snowflake)).fenceMillis();
    assertThat(fence).isEqualTo(fence(snowflake).toEpochMilli());

    fleet.store.deliverLate();

    assertThat(fleet.record(worker(snowflake)).fenceMillis()).isEqualTo(fence);
  }

  @Test
  void confirmationDoesNotLowerTheFenceOfAWriteOfUnknownOutcome() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.REPLY_LOST);
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextRead(fleet.store::goDown));
    fleet.pass(Duration.ofSeconds(15));
    fleet.store.comeBack();
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));
    assertThat(fleet.record(worker(snowflake)).fenceMillis())
        .isEqualTo(START.plusSeconds(45).toEpochMilli());

    member.ahead(Duration.ofSeconds(-4));
    fleet.pass(Duration.ofMillis(1_900));

    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
  }

  @Test
  void windowIsNotUsedBeforeItsRenewalIsKnown() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.builder(TWO_WORKERS, member.lease()).maxWait(Duration.ZERO).build();
    fleet.store.nextWrites(Fault.LATE, Fault.REFUSED, Fault.REFUSED, Fault.REFUSED);
    fleet.pass(Duration.ofSeconds(15));
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(15));

    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void renewalThatIsAppliedAfterAnotherTookTheWorkerDoesNothing() {
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + ONE_WORKER);
    Snowflake first = fleet.member().start(ONE_WORKER);
    fleet.store.nextWrites(Fault.LATE);
    fleet.pass(Duration.ofSeconds(15));
    fleet.time.advance(Duration.ofSeconds(15));
    Snowflake second = fleet.member().start(ONE_WORKER);
    long fence = fleet.record(0).fenceMillis();

    fleet.store.deliverLate();

    assertThat(fleet.record(0).fenceMillis()).isEqualTo(fence);
    second.nextId();
    assertThat(fence(first)).isEqualTo(START.plusSeconds(30));
  }

  /** The register looks held until then; a copy of this process may have been permitted that. */
  @Test
  void renewalThatIsAppliedAfterTheWindowEndedIsNotTakenBeforeItsFence() {
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + ONE_WORKER);
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.nextWrites(Fault.LATE);
    fleet.pass(Duration.ofSeconds(15));
    fleet.time.advance(Duration.ofSeconds(15));
    fleet.store.deliverLate();

    fleet.pass(Duration.ofSeconds(14));
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(45).toEpochMilli());
    fleet.pass(Duration.ofSeconds(10));

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void releaseWhoseReplyIsLostFreesTheWorker() {
    Snowflake first = fleet.member().start(TWO_WORKERS);
    first.nextId();
    fleet.store.nextWrites(Fault.REPLY_LOST);

    first.close();

    assertThat(fleet.record(worker(first)).held()).isFalse();
  }

  @Test
  void releaseThatWasLostIsTriedAgain() {
    Snowflake first = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.REQUEST_LOST, Fault.REQUEST_LOST);

    first.close();

    assertThat(fleet.record(worker(first)).held()).isFalse();
  }

  @Test
  void releaseThatIsAppliedLateFreesTheWorkerLate() {
    Snowflake first = fleet.member().start(TWO_WORKERS);
    long id = first.nextId();
    fleet.store.nextWrites(Fault.LATE, Fault.LATE, Fault.LATE);
    first.close();
    assertThat(fleet.record(worker(first)).held()).isTrue();

    fleet.store.deliverLate();

    assertThat(fleet.record(worker(first)).held()).isFalse();
    Member again = fleet.member();
    Fleet.nextAfter(again.start(TWO_WORKERS, again.lease().worker(worker(first))), id);
  }

  @Test
  void releaseThatIsAppliedAfterAnotherTookTheWorkerDoesNothing() {
    Snowflake first = fleet.member().start(TWO_WORKERS);
    first.nextId();
    fleet.store.nextWrites(Fault.LATE, Fault.LATE, Fault.LATE);
    first.close();
    fleet.pass(Duration.ofSeconds(30));
    Member member = fleet.member();
    Snowflake second = member.start(TWO_WORKERS, member.lease().worker(worker(first)));

    fleet.store.deliverLate();

    assertThat(fleet.record(worker(second)).held()).isTrue();
    assertThat(fleet.record(worker(second)).fenceMillis()).isEqualTo(fence(second).toEpochMilli());
  }

  @Test
  void workerIsReleasedThoughARenewalBeforeWasAppliedUnnoticed() {
    Snowflake first = fleet.member().start(TWO_WORKERS);
    first.nextId();
    fleet.store.nextWrites(Fault.LATE);
    fleet.pass(Duration.ofSeconds(15));
    fleet.store.deliverLate();

    first.close();

    assertThat(fleet.record(worker(first)).held()).isFalse();
  }

  @Test
  void namespaceOfAnUnknownWriteKeepsItsLayout() {
    assertThat(fleet.namespace().layout()).contains(TWO_WORKERS);
    assertThatThrownBy(() -> fleet.member().start(IdLayout.CLASSIC))
        .isInstanceOf(LayoutMismatchException.class);
  }

  @Test
  void firstOfHundredsOfLostRenewalsIsRecognisedWhenItIsAppliedLate() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().window(Duration.ofHours(2)));
    String token = fleet.record(worker(snowflake)).token();
    Fault[] faults = new Fault[400]; // one every five seconds for half an hour and more
    Arrays.fill(faults, Fault.REQUEST_LOST);
    faults[0] = Fault.LATE;
    fleet.store.nextWrites(faults);
    fleet.pass(Duration.ofHours(1).plusSeconds(1_997));

    fleet.store.deliverLate();
    fleet.pass(Duration.ofSeconds(10));

    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(fence(snowflake)).isAfter(START.plus(Duration.ofHours(3)));
    assertThat(fleet.record(worker(snowflake)).token()).isEqualTo(token);
  }

  @Test
  void processWhoseRepliesAreLostTakesOneWorkerAndNoMore() {
    IdLayout sixteen = IdLayout.of("45t+4w+6s@2026-01-01T00:00:00Z/1ms");
    Fleet fresh = new Fleet();
    Member first = fresh.member();
    first.start(sixteen, first.lease("same")); // the home of that name is taken
    Fault[] faults = new Fault[1_000];
    Arrays.fill(faults, Fault.REPLY_LOST);
    fresh.store.nextWrites(faults);
    Member second = fresh.member();
    LeaseConfig.Builder lease =
        second.lease("same").acquireTimeout(Duration.ofSeconds(10)); // it tries again and again

    assertThatThrownBy(() -> second.start(sixteen, lease)).isInstanceOf(StoreException.class);

    assertThat(Namespace.of(fresh.store, "orders").workers()).hasSize(2);
  }
}
