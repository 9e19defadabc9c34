package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
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
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases in a store that loses what it acknowledged, and shows that by its identity. */
class SettlementTest {

  private static final String LAYOUT = NAMESPACE + "/layout";
  private static final Duration SETTLE = Duration.ofMinutes(1);

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAnIdentity() {
    fleet.store.withClock(fleet.time::currentTimeMillis).withIdentity("run1");
  }

  private NamespaceRecord.Settling mark() {
    return NamespaceRecord.parse(fleet.store.read(LAYOUT).orElseThrow()).settling();
  }

  private void restart(String identity) {
    fleet.store.withIdentity(identity);
  }

  @Test
  void newNamespaceInAStoreThatIsDeclaredToKeepLeadsNothing() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(snowflake)).isEqualTo(START);
    assertThat(mark().identity()).isEqualTo("run1");
    assertThat(mark().settledAtMillis()).isEqualTo(START.toEpochMilli());
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
  void newcomerWaitsWhereTheNamespaceSaysSo() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().afterLoss(AfterLoss.WAIT));

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(START.plus(SETTLE));
    assertThat(fleet.now()).isEqualTo(START.plus(SETTLE));
  }

  @Test
  void newcomerThatMayNotWaitSoLongIsRefused() {
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
    restart("run2");
    fleet.pass(Duration.ofMinutes(1));

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
    assertThat(mark().identity()).isEqualTo("run2");
    assertThat(mark().before()).isEqualTo("run1");
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
    restart("run2");
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
  void newcomerAfterAFlushBeginsPastEveryWindowOfBefore() {
    fleet.store.thatMayForget();
    Snowflake before = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    Instant fence = fence(before);
    fleet.store.forgetAll();

    Snowflake newcomer = fleet.member().start(ONE_WORKER);
    assertThat(notBefore(newcomer)).isEqualTo(fleet.now().plus(SETTLE)).isAfter(fence);
    fleet.pass(Duration.ofSeconds(1));
    long last = before.nextId();
    fleet.pass(Duration.ofMinutes(1));
    assertThat(timeOf(before, last)).isBefore(notBefore(newcomer));
    assertThat(worker(newcomer)).isZero();
    assertThat(fleet.record(0).holder()).isEqualTo("host-1");
  }

  @Test
  void holderThatFindsALossUnderItsMarkStopsAndHasANewMarkWritten() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    String nonce = mark().nonce();
    long worker = worker(snowflake);
    fleet.store.put(fleet.register(worker), thief().text());
    fleet.pass(Duration.ofSeconds(16));

    assertThat(mark().nonce()).isNotEqualTo(nonce);
    assertThat(mark().settledAtMillis())
        .isGreaterThan(START.plusSeconds(70).toEpochMilli())
        .isLessThan(START.plusSeconds(77).toEpochMilli());
    assertThat(worker(snowflake)).isNotEqualTo(worker);
    assertThat(timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(Instant.ofEpochMilli(mark().settledAtMillis()));
  }

  @Test
  void lossUnderTheMarkOfAnOperatorHasANewMarkWrittenToo() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.namespace().renewMark();
    fleet.pass(Duration.ofSeconds(16));
    String nonce = mark().nonce();
    assertThat(mark().before()).isEmpty();
    fleet.store.put(fleet.register(worker), thief().text());
    fleet.pass(Duration.ofSeconds(16));

    assertThat(mark().nonce()).isNotEqualTo(nonce);
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
        .hasMessageContaining("layout: " + ONE_WORKER + " (expected: " + TWO_WORKERS);
    other.close();
  }

  @Test
  void processThatFindsAnOlderMarkThanItHasSeenWritesANewOneOnceThatHasSettled() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    Map<String, Register> before = fleet.store.copy();
    String first = mark().nonce();
    fleet.pass(Duration.ofSeconds(10));
    restart("run2");
    fleet.pass(Duration.ofSeconds(20));
    long newer = mark().settledAtMillis();
    fleet.store.rollBack(before);
    restart("run1"); // a server that was replaced, and continues or comes back as it was
    fleet.pass(Duration.ofSeconds(15));
    assertThat(mark().nonce()).isEqualTo(first);
    fleet.pass(Duration.ofMinutes(1));
    fleet.pass(Duration.ofSeconds(20));

    assertThat(mark().settledAtMillis()).isGreaterThan(newer);
    assertThat(timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(Instant.ofEpochMilli(mark().settledAtMillis()));
  }

  @Test
  void addressThatLeadsToSeveralWritersIsRefusedAndBothAreNamed() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    restart("run2");
    fleet.pass(Duration.ofSeconds(15));
    assertThat(mark().identity()).isEqualTo("run2");
    restart("run1");

    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Store faulty: answers as run2 and as run1 in turn; its address");
    fleet.pass(Duration.ofSeconds(75));
    assertThat(mark().identity()).isEqualTo("run1");
    snowflake.close();
  }

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

    assertThat(mark().settleMillis()).isEqualTo(122_000);
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
    assertThat(mark().settleMillis()).isEqualTo(61_000);
  }

  @Test
  void holderThatRestoresTheNamespaceKeepsTheAgreement() {
    Member first = fleet.member();
    Snowflake holder = first.start(TWO_WORKERS, first.lease().afterLoss(AfterLoss.WAIT));
    fleet.store.forgetAll();
    restart("run2");
    fleet.pass(Duration.ofSeconds(20));

    assertThat(mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void settlingTimeIsRaisedWhileNoWorkerIsLeased() {
    Namespace namespace = fleet.namespace();
    Duration wanted = Duration.ofMinutes(2);
    assertThat(namespace.changeSettleTime(wanted)).isEmpty();
    Member member = fleet.member();
    Snowflake holder = member.start(TWO_WORKERS, member.lease().settleTime(SETTLE));

    NamespaceRecord.Settling agreed = mark();
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "settleTime: 60000 ms, afterLoss: ahead (expected: another agreement than namespace"
                + " orders has)");
    assertThatThrownBy(() -> namespace.changeSettleTime(wanted))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "worker " + worker(holder) + " of orders is leased to host-0, process ")
        .hasMessageEndingWith(
            " (expected: none leased; if that process is gone, try again at 2026-11-01T00:01:30Z)");
    assertThat(mark()).isEqualTo(agreed);
    holder.close();
    String before = mark().nonce();
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REQUEST_LOST);
    Instant now = fleet.now();
    assertThat(namespace.changeSettleTime(wanted))
        .contains(new Namespace.Mark(now, wanted, AfterLoss.AHEAD));
    assertThat(mark().nonce()).isNotEqualTo(before);
    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .hasMessageStartingWith("settleTime: 60000 ms (expected: at least 120000 ms, ");
    Member later = fleet.member();
    Snowflake newcomer = later.start(TWO_WORKERS, later.lease().settleTime(wanted));
    assertThat(notBefore(newcomer)).isEqualTo(now.plus(wanted));
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
  void settlingTimeIsLoweredOnceNoIdThatWasIssuedIsAheadOfTheClock() {
    fleet.store.thatMayForget();
    Duration mistyped = Duration.ofHours(24);
    Namespace namespace = fleet.namespace();
    Member member = fleet.member();
    Snowflake leading = member.start(TWO_WORKERS, member.lease().settleTime(mistyped));
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .hasMessageContaining("(expected: the settling time of namespace orders to end")
        .hasMessageContaining("; it does at 2026-11-02T00:00:00Z");
    fleet.time.advance(mistyped);
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .hasMessageContaining(" is leased to host-0, process ");
    assertThat(timeOf(leading, leading.nextId())).isEqualTo(fleet.now());
    leading.close();
    assertThatThrownBy(() -> namespace.changeSettleTime(SETTLE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("worker " + namespace.workers().get(0).worker() + " of orders may ")
        .hasMessageEndingWith(
            " (expected: none past 2026-11-02T00:00:00Z, the clock; try again then)");
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
    restart("run2");
    assertThatThrownBy(() -> fleet.namespace().changeSettleTime(Duration.ofSeconds(55)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("(expected: the settling time of namespace orders to end");
    assertThatThrownBy(() -> fleet.namespace().changeAfterLoss(AfterLoss.WAIT))
        .isInstanceOf(IllegalStateException.class);
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
  void workerIsReservedAlsoInANamespaceWhoseNewcomersWait() {
    Member first = fleet.member();
    first.start(TWO_WORKERS, first.lease().afterLoss(AfterLoss.WAIT)).close();
    fleet.time.advance(Duration.ofSeconds(100));
    long free = 1 - fleet.namespace().workers().get(0).worker();
    WorkerEntry reserved =
        fleet.namespace().reserve(free, TWO_WORKERS, "batch", WorkerEntry.NEVER, false);

    assertThat(reserved.reserved()).isTrue();
    assertThat(mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
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
    assertThat(mark().settleMillis()).isEqualTo(settle.toMillis());
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
    Snowflake newcomer = later.start(TWO_WORKERS, later.lease().afterLoss(AfterLoss.WAIT));
    assertThat(notBefore(newcomer)).isEqualTo(now.plus(SETTLE));
    assertThat(fleet.now()).isEqualTo(now.plus(SETTLE));
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
    restart("run2");
    fleet.pass(Duration.ofSeconds(15));
    Namespace.Mark newer = namespace.mark().orElseThrow();
    assertThat(newer.leads(namespace.workers().get(0), fleet.now())).isFalse();
    leading.close();
    assertThat(mark.leads(namespace.workers().get(0), mark.since())).isFalse();
  }

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
  void holderWhoseClockDriftsAwaySlowlyKeepsItsFenceBelowWhereNewcomersBegin() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake drifting = member.start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    for (int i = 1; i <= 120; i++) {
      fleet.pass(Duration.ofSeconds(5));
      member.ahead(Duration.ofMillis(i * 350L));
    }
    fleet.store.forgetAll();
    restart("run2");

    Snowflake newcomer = fleet.member().start(ONE_WORKER);
    assertThat(notBefore(newcomer)).isAfterOrEqualTo(fence(drifting));
    assertThat(drifting.leaseStatus().orElseThrow().lastError().orElseThrow())
        .contains(" ms ahead of the store's ");
    newcomer.close();
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
    assertThat(snowflake.leaseStatus().orElseThrow().lastError().orElseThrow())
        .contains(" ms behind the store's ");

    fleet.store.withClock(fleet.time::currentTimeMillis);
    fleet.pass(Duration.ofMinutes(1));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
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
    assertThat(mark().afterLoss()).isEqualTo(AfterLoss.WAIT);
  }

  @Test
  void namespaceOfAnEarlierFormatGetsAMark() {
    fleet.store.put(LAYOUT, "firn-namespace/1 layout=" + ONE_WORKER);
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(snowflake)).isEqualTo(START.plus(SETTLE));
    assertThat(mark().settleMillis()).isEqualTo(60_000);
  }

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
  void releaseAfterARestartIsWritten() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    restart("run2");
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
    restart("run2");
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
    String before = mark().nonce();
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REQUEST_LOST);

    Instant now = fleet.now();
    assertThat(namespace.renewMark()).contains(new Namespace.Mark(now, SETTLE, AfterLoss.WAIT));
    assertThat(mark().nonce()).isNotEqualTo(before);
    fleet.pass(Duration.ofSeconds(50));
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
    Member later = fleet.member();
    Snowflake newcomer = later.start(TWO_WORKERS, later.lease().afterLoss(AfterLoss.WAIT));
    assertThat(notBefore(newcomer)).isEqualTo(now.plus(SETTLE));
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
    assertThat(mark().settleMillis()).isEqualTo(60_000);
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
      Fleet other = new Fleet();
      other.store.withClock(other.time::currentTimeMillis).withIdentity("run1").thatMayForget();
      Member first = other.member();
      first.start(TWO_WORKERS, first.lease().worker(0).window(window).settleTime(settle));
      Member second = other.member();
      second.start(TWO_WORKERS, second.lease().worker(0).window(window).settleTime(settle)).close();
    }
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
