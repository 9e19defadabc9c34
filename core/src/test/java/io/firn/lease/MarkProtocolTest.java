package io.firn.lease;

import static io.firn.lease.Fleet.LAYOUT;
import static io.firn.lease.Fleet.NAMESPACE;
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

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Leases in a store that loses what it acknowledged, and shows that by its identity. */
class MarkProtocolTest {

  private final Fleet fleet = new Fleet().withIdentity();

  @Test
  void newNamespaceInAStoreThatIsDeclaredToKeepLeadsNothing() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(snowflake)).isEqualTo(START);
    assertThat(fleet.mark().identity()).isEqualTo("run1");
    assertThat(fleet.mark().settledAtMillis()).isEqualTo(START.toEpochMilli());
  }

  @Test
  void newNamespaceInAStoreThatMayForgetBeginsAheadAndIdsAreIssuedAtOnce() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(START.plus(SETTLE));
    assertThat(fence(snowflake)).isEqualTo(START.plus(SETTLE).plusSeconds(30));
    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void newProcessWaitsWhereTheNamespaceSaysSo() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().afterLoss(AfterLoss.WAIT));

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(START.plus(SETTLE));
    assertThat(fleet.now()).isEqualTo(START.plus(SETTLE));
  }

  @Test
  void newProcessThatMayNotWaitSoLongIsRefused() {
    fleet.store.thatMayForget();
    Member member = fleet.member();

    assertThatThrownBy(
            () ->
                member.start(
                    ONE_WORKER,
                    member
                        .lease()
                        .afterLoss(AfterLoss.WAIT)
                        .acquireTimeout(Duration.ofSeconds(59))))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Store faulty: was started, promoted or restored; worker IDs of namespace orders are"
                + " leased again at 2026-11-01T00:01:00Z, when its settling time ends");
  }

  @Test
  void holderContinuesAfterARestartThatLostNothing() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(10));
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofMinutes(1));

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
    assertThat(fleet.mark().identity()).isEqualTo("run2");
    assertThat(fleet.mark().before()).isEqualTo("run1");
    assertThat(notBefore(snowflake)).isEqualTo(START);
  }

  @Test
  void holderWritesItsRecordAgainAfterARollback() {
    Snowflake other = fleet.member().start(TWO_WORKERS, fleet.member().lease().worker(0));
    Map<String, Register> before = fleet.store.copy();
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
    long id = snowflake.nextId();
    fleet.pass(Duration.ofSeconds(1));
    fleet.store.rollBack(before);
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofMinutes(1));

    assertThat(snowflake.nextId()).isGreaterThan(id);
    assertThat(worker(snowflake)).isEqualTo(1);
    assertThat(notBefore(snowflake)).isEqualTo(START);
    assertThat(fleet.record(1).holder()).startsWith("host-");
    other.close();
  }

  @Test
  void holderPutsTheNamespaceBackAfterAFlush() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(1));
    fleet.store.forgetAll();
    fleet.pass(Duration.ofSeconds(30));

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
    assertThat(fleet.namespace().layout()).contains(ONE_WORKER);
    assertThat(fleet.record(0).held()).isTrue();
  }

  @Test
  void newProcessAfterAFlushBeginsPastEveryWindowOfBefore() {
    fleet.store.thatMayForget();
    Snowflake before = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    Instant fence = fence(before);
    fleet.store.forgetAll();

    Snowflake newProcess = fleet.member().start(ONE_WORKER);
    assertThat(notBefore(newProcess)).isEqualTo(fleet.now().plus(SETTLE)).isAfter(fence);
    fleet.pass(Duration.ofSeconds(1));
    long last = before.nextId();
    fleet.pass(Duration.ofMinutes(1));
    assertThat(timeOf(before, last)).isBefore(notBefore(newProcess));
    assertThat(worker(newProcess)).isZero();
    assertThat(fleet.record(0).holder()).isEqualTo("host-1");
  }

  @Test
  void holderThatFindsALossUnderItsMarkStopsAndHasANewMarkWritten() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    String nonce = fleet.mark().nonce();
    long worker = worker(snowflake);
    fleet.store.put(fleet.register(worker), thief().text());
    fleet.pass(Duration.ofSeconds(16));

    assertThat(fleet.mark().nonce()).isNotEqualTo(nonce);
    assertThat(fleet.mark().settledAtMillis())
        .isGreaterThan(START.plusSeconds(70).toEpochMilli())
        .isLessThan(START.plusSeconds(77).toEpochMilli());
    assertThat(worker(snowflake)).isNotEqualTo(worker);
    assertThat(timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(Instant.ofEpochMilli(fleet.mark().settledAtMillis()));
  }

  @Test
  void lossUnderTheMarkOfAnOperatorHasANewMarkWrittenToo() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.namespace().renewMark();
    fleet.pass(Duration.ofSeconds(16));
    String nonce = fleet.mark().nonce();
    assertThat(fleet.mark().before()).isEmpty();
    fleet.store.put(fleet.register(worker), thief().text());
    fleet.pass(Duration.ofSeconds(16));

    assertThat(fleet.mark().nonce()).isNotEqualTo(nonce);
    assertThat(worker(snowflake)).isNotEqualTo(worker);
  }

  /** A record whose window begins before the fence of the holder. */
  private static WorkerRecord thief() {
    long now = START.plusSeconds(1).toEpochMilli();
    return new WorkerRecord(now + 30_000, true, OptionalLong.of(now), 30_000, "thief", 1, "t", "n");
  }

  @Test
  void holderStopsWhereAnotherLayoutHasTheNamespace() {
    fleet.store.thatMayForget();
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(100));
    fleet.store.forgetAll();
    Snowflake other = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(16));

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining(
            "has layout " + TWO_WORKERS + ", and this process has layout " + ONE_WORKER);
    other.close();
  }

  @Test
  void processThatFindsAnOlderMarkThanItHasSeenWritesANewOneOnceThatHasSettled() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    Map<String, Register> before = fleet.store.copy();
    String first = fleet.mark().nonce();
    fleet.pass(Duration.ofSeconds(10));
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(20));
    long newer = fleet.mark().settledAtMillis();
    fleet.store.rollBack(before);
    fleet.store.withIdentity(
        "run1"); // a server that was replaced, and continues or comes back as it was
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.mark().nonce()).isEqualTo(first);
    fleet.pass(Duration.ofMinutes(1));
    fleet.pass(Duration.ofSeconds(20));

    assertThat(fleet.mark().settledAtMillis()).isGreaterThan(newer);
    assertThat(timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(Instant.ofEpochMilli(fleet.mark().settledAtMillis()));
  }

  @Test
  void addressThatLeadsToSeveralWritersIsRefusedAndBothAreNamed() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.mark().identity()).isEqualTo("run2");
    fleet.store.withIdentity("run1");

    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Store faulty: answers as run2 and as run1 in turn; its address");
    fleet.pass(Duration.ofSeconds(75));
    assertThat(fleet.mark().identity()).isEqualTo("run1");
    snowflake.close();
  }

  @Test
  void operatorsSeeWhoLeadsBecauseOfTheMark() {
    fleet.store.thatMayForget();
    Snowflake leading = fleet.member().start(TWO_WORKERS);
    Namespace namespace = fleet.namespace();
    Namespace.Mark mark = namespace.mark().orElseThrow();
    assertThat(Namespace.marks(fleet.store, List.of(NAMESPACE, "none")))
        .isEqualTo(Map.of(NAMESPACE, mark));
    WorkerEntry entry = namespace.workers().get(0);
    assertThat(entry.worker()).isEqualTo(worker(leading));
    assertThat(mark.leads(entry, mark.settledAt().minusMillis(1))).isTrue();
    assertThat(mark.leads(entry, mark.settledAt())).isFalse();
    namespace.renewMark();
    fleet.pass(Duration.ofSeconds(70));
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(15));
    Namespace.Mark newer = namespace.mark().orElseThrow();
    assertThat(newer.leads(namespace.workers().get(0), fleet.now())).isFalse();
    leading.close();
    assertThat(mark.leads(namespace.workers().get(0), mark.since())).isFalse();
  }

  @Test
  void namespaceOfAnEarlierFormatGetsAMark() {
    fleet.store.put(LAYOUT, "firn-namespace/1 layout=" + ONE_WORKER);
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(snowflake)).isEqualTo(START.plus(SETTLE));
    assertThat(fleet.mark().settleMillis()).isEqualTo(60_000);
  }

  @Test
  void releaseAfterARestartIsWritten() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.withIdentity("run2");
    snowflake.close();

    assertThat(fleet.record(0).held()).isFalse();
  }

  @Test
  void writeWithoutAnAnswerIsConfirmed() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.nextWrites(Fault.REPLY_LOST);
    fleet.pass(Duration.ofSeconds(15));

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
  }

  @Test
  void copyOfAProcessStopsAlsoUnderANewMark() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    String copied = fleet.store.value(fleet.register(worker));
    fleet.store.withIdentity("run2");
    fleet.store.put(fleet.register(worker), copied.replaceFirst("nonce=\\w+", "nonce=other"));
    fleet.pass(Duration.ofSeconds(16));

    assertThat(worker(snowflake)).isNotEqualTo(worker);
  }

  @Test
  void operatorsSeeTheMark() {
    Namespace namespace = fleet.namespace();
    assertThat(namespace.mark()).isEmpty();
    fleet.store.thatMayForget();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().afterLoss(AfterLoss.WAIT));

    Namespace.Mark mark = namespace.mark().orElseThrow();
    assertThat(mark).isEqualTo(new Namespace.Mark(START, SETTLE, AfterLoss.WAIT));
    assertThat(mark.settledAt()).isEqualTo(START.plus(SETTLE));
  }

  @Test
  void newMarkKeepsTheAgreementAndEndsWhatWasWrittenUnderTheOldOne() {
    Namespace namespace = fleet.namespace();
    assertThat(namespace.renewMark()).isEmpty();
    Member member = fleet.member();
    Snowflake holder = member.start(TWO_WORKERS, member.lease().afterLoss(AfterLoss.WAIT));
    fleet.pass(Duration.ofSeconds(1));
    String before = fleet.mark().nonce();
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REQUEST_LOST);

    Instant now = fleet.now();
    assertThat(namespace.renewMark()).contains(new Namespace.Mark(now, SETTLE, AfterLoss.WAIT));
    assertThat(fleet.mark().nonce()).isNotEqualTo(before);
    fleet.pass(Duration.ofSeconds(50));
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
    Member later = fleet.member();
    Snowflake newProcess = later.start(TWO_WORKERS, later.lease().afterLoss(AfterLoss.WAIT));
    assertThat(notBefore(newProcess)).isEqualTo(now.plus(SETTLE));
  }

  @Test
  void storeWithoutAnIdentityGetsNoNewMark() {
    Namespace namespace = Namespace.of(new InMemoryRegisterStore(), NAMESPACE);

    assertThatThrownBy(namespace::renewMark)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageEndingWith("(expected: one with an identity)");
  }

  @Test
  void renewalInCalmIsOneCallAndOneInFourLooksForAWatermark() {
    fleet.member().start(ONE_WORKER);
    long calls = fleet.store.calls();
    fleet.pass(Duration.ofSeconds(150));

    assertThat(fleet.store.calls() - calls).isEqualTo(10 + 2);
  }

  @Test
  void markIsWrittenInTwoStepsSoThatItsTimeIsNotFromBeforeALoss() {
    fleet.store.thatMayForget();
    IdLayout layout = ONE_WORKER;
    // The first process stops between its two steps; meanwhile the store is used and lost.
    fleet.store.beforeNextWrite(
        () ->
            fleet.store.beforeNextWrite(
                () -> {
                  fleet.time.advance(Duration.ofSeconds(100));
                  fleet.store.forgetAll();
                }));
    Snowflake snowflake = fleet.member().start(layout);

    assertThat(notBefore(snowflake)).isEqualTo(START.plusSeconds(160));
  }

  @Test
  void renewalOfALeadingHolderThatARestartKeptIsNoLoss() {
    fleet.store.thatMayForget();
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    long worker = worker(holder);
    Instant begin = notBefore(holder);
    fleet.pass(Duration.ofSeconds(14));
    fleet.store.nextWrites(Fault.REPLY_LOST);
    fleet.store.beforeNextWrite(
        () -> fleet.store.beforeNextRead(() -> fleet.store.withIdentity("run2")));
    fleet.pass(Duration.ofSeconds(2));

    assertThat(worker(holder)).isEqualTo(worker);
    assertThat(notBefore(holder)).isEqualTo(begin);
  }
}
