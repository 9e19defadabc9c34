package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.SETTLE;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** An operator changes what a namespace has agreed on for the loss of its store. */
class AgreementChangeTest {

  private final Fleet fleet = new Fleet().withIdentity();

  @Test
  void settlingTimeIsRaisedWhileNoWorkerIsLeased() {
    Namespace namespace = fleet.namespace();
    Duration wanted = Duration.ofMinutes(2);
    assertThat(namespace.changeSettleTime(wanted)).isEmpty();
    Member member = fleet.member();
    Snowflake holder = member.start(TWO_WORKERS, member.lease().settleTime(SETTLE));

    NamespaceRecord.MarkRecord agreed = fleet.mark();
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "settleTime: 60000 ms, afterLoss: ahead (expected: another agreement than namespace"
                + " orders has)");
    assertThatThrownBy(() -> namespace.changeSettleTime(wanted))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "Worker " + worker(holder) + " of orders is leased to host-0, process ")
        .hasMessageEndingWith(
            "; stop that process, or if it is gone, try again at 2026-11-01T00:01:30Z");
    assertThat(fleet.mark()).isEqualTo(agreed);
    holder.close();
    String before = fleet.mark().nonce();
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REQUEST_LOST);
    Instant now = fleet.now();
    assertThat(namespace.changeSettleTime(wanted))
        .contains(new Namespace.Mark(now, wanted, AfterLoss.AHEAD));
    assertThat(fleet.mark().nonce()).isNotEqualTo(before);
    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .hasMessageStartingWith("settleTime: 60000 ms (expected: at least 120000 ms, ");
    Member later = fleet.member();
    Snowflake newProcess = later.start(TWO_WORKERS, later.lease().settleTime(wanted));
    assertThat(notBefore(newProcess)).isEqualTo(now.plus(wanted));
  }

  @Test
  void settlingTimeIsNotRaisedByWhatAnotherStoreHas() {
    fleet.member().start(TWO_WORKERS);
    Namespace namespace = Namespace.of(fleet.splitStore(), Fleet.NAMESPACE, fleet.time);
    assertThatThrownBy(() -> namespace.changeSettleTime(Duration.ofMinutes(2)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("answered as two stores");
    assertThat(fleet.mark().settleMillis()).isEqualTo(60_000);
  }

  @Test
  void settlingTimeIsRaisedOnceACrashedHolderCanNotContinue() {
    fleet.member().start(ONE_WORKER); // and crashes
    Namespace namespace = fleet.namespace();
    fleet.time.advance(Duration.ofMillis(89_999));
    assertThatThrownBy(() -> namespace.changeSettleTime(Duration.ofMinutes(2)))
        .isInstanceOf(IllegalStateException.class);
    fleet.time.advance(Duration.ofMillis(1));
    assertThat(namespace.changeSettleTime(Duration.ofMinutes(2))).isPresent();
  }

  @Test
  void settlingTimeIsNotRaisedBesideALeaseThatIsTakenMeanwhile() {
    fleet.member().start(TWO_WORKERS).close();
    fleet.pass(Duration.ofSeconds(100));
    Namespace namespace = fleet.namespace();
    for (int writes = 0; writes < 2; writes++) {
      Snowflake[] taken = new Snowflake[1];
      Runnable lease = () -> taken[0] = fleet.member().start(TWO_WORKERS);
      fleet.store.beforeNextWrite(writes == 0 ? lease : () -> fleet.store.beforeNextWrite(lease));

      assertThatThrownBy(() -> namespace.changeSettleTime(Duration.ofMinutes(2)))
          .as("after " + writes + " writes")
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is leased to");
      fleet.pass(Duration.ofMinutes(1));
      assertThat(timeOf(taken[0], taken[0].nextId())).isEqualTo(fleet.now());
      taken[0].close();
    }
    assertThat(namespace.changeSettleTime(Duration.ofMinutes(2))).isPresent();
  }

  @Test
  void settlingTimeThatAnotherProcessDelayedIsRaisedInTwoStepsAgain() {
    fleet.member().start(TWO_WORKERS).close();
    fleet.pass(Duration.ofSeconds(100));
    Runnable completing =
        () -> {
          fleet.member().start(TWO_WORKERS).close(); // completes the mark of the first step
          fleet.store.beforeNextWrite(() -> fleet.member().start(TWO_WORKERS));
        };
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextWrite(completing));

    assertThatThrownBy(() -> fleet.namespace().changeSettleTime(Duration.ofMinutes(2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is leased to");
    assertThat(fleet.mark().settleMillis()).isEqualTo(60_000);
  }

  @Test
  void settlingTimeIsLoweredOnceNoIdThatWasIssuedIsAheadOfTheClock() {
    fleet.store.thatMayForget();
    Duration mistyped = Duration.ofHours(24);
    Namespace namespace = fleet.namespace();
    Member member = fleet.member();
    Snowflake leading = member.start(TWO_WORKERS, member.lease().settleTime(mistyped));
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .hasMessageContaining(
            "; try again when the settling time of namespace orders ends, at 2026-11-02T00:00:00Z");
    fleet.time.advance(mistyped);
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .hasMessageContaining(" is leased to host-0, process ");
    assertThat(timeOf(leading, leading.nextId())).isEqualTo(fleet.now());
    leading.close();
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Worker " + namespace.workers().get(0).worker() + " of orders may ")
        .hasMessageEndingWith(
            ", and the clock is at 2026-11-02T00:00:00Z; try again once it is past those IDs");
    fleet.time.advance(Duration.ofSeconds(31));
    Instant now = fleet.now();
    assertThat(namespace.changeSettleTime(SETTLE))
        .contains(new Namespace.Mark(now, SETTLE, AfterLoss.AHEAD));
    assertThat(notBefore(fleet.member().start(TWO_WORKERS))).isEqualTo(now.plus(SETTLE));
  }

  @Test
  void settlingTimeIsNotLoweredBehindALossThatNoMarkShowsYet() {
    fleet.member().start(TWO_WORKERS).close();
    fleet.time.advance(Duration.ofSeconds(100));
    fleet.store.withIdentity("run2");
    assertThatThrownBy(() -> fleet.namespace().changeSettleTime(Duration.ofSeconds(55)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith(
            "; try again when the settling time of namespace orders ends, at "
                + fleet.now().plus(SETTLE));
    assertThatThrownBy(() -> fleet.namespace().changeAfterLoss(AfterLoss.WAIT))
        .isInstanceOf(IllegalStateException.class);
    fleet.time.advance(SETTLE);
    assertThat(fleet.namespace().changeSettleTime(Duration.ofSeconds(55))).isPresent();
    assertThat(fleet.namespace().changeSettleTime(Duration.ofSeconds(65))).isPresent();
  }

  @Test
  void reservedWorkerDoesNotKeepTheAgreementAsItIs() {
    fleet.member().start(TWO_WORKERS).close();
    fleet.time.advance(Duration.ofSeconds(100));
    long free = 1 - fleet.namespace().workers().get(0).worker();
    fleet.namespace().reserve(free, TWO_WORKERS, "batch", WorkerEntry.NEVER, false);

    assertThat(fleet.namespace().changeAfterLoss(AfterLoss.WAIT)).isPresent();
  }

  @Test
  void choiceAfterALossIsChangedWhileNoWorkerIsLeased() {
    Namespace namespace = fleet.namespace();
    assertThat(namespace.changeAfterLoss(AfterLoss.WAIT)).isEmpty();
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    assertThatThrownBy(() -> namespace.changeAfterLoss(AfterLoss.AHEAD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("settleTime: 60000 ms, afterLoss: ahead (expected: another ");
    assertThatThrownBy(() -> namespace.changeAfterLoss(AfterLoss.WAIT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" is leased to host-0, process ");
    holder.close();
    fleet.time.advance(Duration.ofSeconds(1));
    Instant now = fleet.now();
    assertThat(namespace.changeAfterLoss(AfterLoss.WAIT))
        .contains(new Namespace.Mark(now, SETTLE, AfterLoss.WAIT));
    Member later = fleet.member();
    Snowflake newProcess = later.start(TWO_WORKERS, later.lease().afterLoss(AfterLoss.WAIT));
    assertThat(notBefore(newProcess)).isEqualTo(now.plus(SETTLE));
    assertThat(fleet.now()).isEqualTo(now.plus(SETTLE));
  }
}
