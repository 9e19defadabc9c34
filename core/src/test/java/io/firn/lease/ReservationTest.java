package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static io.firn.lease.WorkerEntry.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReservationTest {

  private static final Duration SKEW = Duration.ofSeconds(5);

  private final Fleet fleet = new Fleet();
  private final Namespace namespace = fleet.namespace();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  private WorkerEntry reserve(long worker, Instant until) {
    return namespace.reserve(worker, TWO_WORKERS, "old Leaf", until, false);
  }

  @Test
  void noLeaseTakesAReservedWorker() {
    WorkerEntry entry = reserve(0, WorkerEntry.NEVER);

    assertThat(entry)
        .isEqualTo(
            new WorkerEntry(
                0,
                false,
                Optional.of(START),
                WorkerEntry.NEVER,
                "old Leaf",
                0,
                true,
                false,
                Optional.empty(),
                Optional.of(TWO_WORKERS)))
        .isEqualTo(namespace.workers().get(0));
    assertThat(entry.state(START)).isEqualTo(WorkerEntry.State.RESERVED);
    for (int host = 0; host < 20; host++) {
      Snowflake snowflake = fleet.member().start(TWO_WORKERS);
      assertThat(worker(snowflake)).isEqualTo(1);
      snowflake.close();
    }
    Member pinned = fleet.member();
    assertThatThrownBy(() -> pinned.start(TWO_WORKERS, pinned.lease().worker(0)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Worker 0 of orders is reserved for old Leaf; use another worker ID, or free it with"
                + " firn workers release");
  }

  @Test
  void countsReservedWorkersWhereNoneIsFree() {
    var unused = reserve(0, WorkerEntry.NEVER);
    Snowflake only = fleet.member().start(TWO_WORKERS);
    Instant fence = Fleet.fence(only);
    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .hasMessage(
            "No worker ID of orders is free: 1 of 2 are leased, 1 are reserved for other systems;"
                + " the next is free at "
                + fence);
    only.close();
    fleet.pass(Duration.ofSeconds(1));
    assertThat(reserve1().reserved()).isTrue();
    assertThatThrownBy(() -> fleet.member().start(TWO_WORKERS))
        .hasMessage(
            "No worker ID of orders is free: 0 of 2 are leased, 2 are reserved for other systems; a"
                + " reserved one needs firn workers release");
  }

  @Test
  void leasesBeginAtTheEndOfAReservation() {
    Instant until = START.plusSeconds(60);
    var unused = namespace.reserve(0, ONE_WORKER, "old Leaf", until, false);
    fleet.pass(Duration.ofSeconds(60).minusMillis(1));
    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.pass(Duration.ofMillis(1));
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isAfterOrEqualTo(until);
  }

  @Test
  void endWithinAMillisecondIsTheEndOfThatMillisecond() {
    Instant end = START.plusSeconds(60);
    assertThat(reserve(0, end.minusNanos(1)).fence()).isEqualTo(end);
    assertThat(reserve(1, end.plusNanos(1)).fence()).isEqualTo(end.plusMillis(1));
    assertThat(namespace.release(1, end.plusMillis(1).plusNanos(1)).fence())
        .isEqualTo(end.plusMillis(2));
  }

  @Test
  void timeThatHasNoMillisecondsIsRefused() {
    var unused = reserve(0, NEVER);
    String expected = " (expected: -292275055-05-16T16:47:04.192Z..+292278994-08-17T07:12:55.807Z)";
    for (Instant time : List.of(Instant.MIN, Instant.MAX)) {
      assertThatThrownBy(() -> reserve(1, time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("until: " + time + expected);
      assertThatThrownBy(() -> namespace.release(0, time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("issuedBefore: " + time + expected);
      assertThatThrownBy(
              () -> LayoutChange.of(namespace.registers()).check(TWO_WORKERS, time, false))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("at: " + time + expected);
    }
  }

  @Test
  void reservesOnlyFreeWorkersAndNamesTheHolder() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
    Instant free = Fleet.fence(snowflake).plus(SKEW);
    assertThatThrownBy(() -> reserve(1, WorkerEntry.NEVER))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Worker 1 of orders is leased to host-0, process "
                + ProcessHandle.current().pid()
                + "; it is free at "
                + free
                + " unless renewed");
    snowflake.close();
    fleet.pass(Duration.ofSeconds(1));
    assertThat(reserve(1, WorkerEntry.NEVER).reserved()).isTrue();
    assertThatThrownBy(() -> namespace.reserve(1, TWO_WORKERS, "CosId", WorkerEntry.NEVER, false))
        .hasMessage("Worker 1 of orders is reserved for old Leaf; it is free once it is released");
  }

  @Test
  void aHolderThatWasPausedFindsThatItLostItsWorker() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(0));
    long last = snowflake.nextId();
    fleet.time.advance(Duration.ofMinutes(2)); // without its keeper
    Instant since = reserve(0, WorkerEntry.NEVER).since().orElseThrow();
    assertThat(since).isAfterOrEqualTo(Fleet.fence(snowflake));
    fleet.pass(Duration.ofSeconds(2));
    assertThatThrownBy(snowflake::nextId).hasMessageContaining("is reserved for old Leaf");
    assertThat(Fleet.timeOf(snowflake, last)).isBefore(since);
  }

  @Test
  void canBeReservedAgainForTheSameSystemUntilTheLaterEnd() {
    Instant soon = START.plusSeconds(60);
    var first = reserve(0, soon);
    fleet.pass(Duration.ofSeconds(1));
    WorkerEntry longer = reserve(0, soon.plusSeconds(60));
    assertThat(longer.fence()).isEqualTo(soon.plusSeconds(60));
    assertThat(longer.since()).isEqualTo(first.since());
    assertThat(reserve(0, soon).fence()).isEqualTo(soon.plusSeconds(60));
  }

  @Test
  void aReleaseLeavesTheOldSystemsIdsBehind() {
    var unused = reserve(0, WorkerEntry.NEVER);
    fleet.pass(Duration.ofMinutes(1));
    Instant now = fleet.now();
    assertThatThrownBy(() -> namespace.release(0))
        .hasMessage(
            "worker: 0 (expected: a held one; it is reserved for old Leaf, whose newest ID must be"
                + " given)");
    assertThat(namespace.release(0, Instant.EPOCH).fence()).isEqualTo(now.plus(SKEW));
    assertThat(namespace.workers().get(0).holder()).isEqualTo("old Leaf");

    assertThat(reserve1().reserved()).isTrue();
    Instant newest = now.plus(Duration.ofMinutes(10));
    WorkerEntry released = namespace.release(1, newest);
    assertThat(released.fence()).isEqualTo(newest);
    assertThat(released.state(newest.minusMillis(1))).isEqualTo(WorkerEntry.State.RESERVED);
    assertThat(released.state(newest)).isEqualTo(WorkerEntry.State.RELEASED);
    Member member = fleet.member();
    fleet.pass(Duration.ofMinutes(10));
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isAfterOrEqualTo(newest);
  }

  @Test
  void aReleaseTakesIdsOfTheOldSystemUpToADayAhead() {
    var unused = reserve1();
    Instant latest = START.plus(Duration.ofDays(1));
    assertThatThrownBy(() -> namespace.release(1, latest.plusMillis(1)))
        .hasMessageStartingWith("issuedBefore: " + latest.plusMillis(1));
    assertThat(namespace.release(1, latest).fence()).isEqualTo(latest);
  }

  @Test
  void aReleaseCanBeRepeatedWithTheSameId() {
    var unused = reserve(0, WorkerEntry.NEVER);
    Instant newest = fleet.now().plus(Duration.ofMinutes(1));
    for (int i = 0; i < 3; i++) {
      WorkerEntry released = namespace.release(0, newest);
      assertThat(released.fence()).isEqualTo(newest);
      assertThat(released.holder()).isEqualTo("old Leaf");
      fleet.pass(Duration.ofMinutes(2));
    }
    Instant later = fleet.now().plus(Duration.ofMinutes(1));
    assertThat(namespace.release(0, later).fence()).isEqualTo(later);
    assertThatThrownBy(() -> namespace.release(0, fleet.now().plus(Duration.ofHours(25))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("issuedBefore: ")
        .hasMessageContaining("at most a day past the store's clock");
  }

  @Test
  void aReleaseOfAReservationThatHasEndedLeavesTheLeaseAfterIt() {
    Instant until = START.plusSeconds(60);
    assertThat(reserve(0, until).fence()).isEqualTo(reserve(1, until).fence());
    fleet.pass(Duration.ofSeconds(61));
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
    Instant fence = Fleet.fence(snowflake);
    String refusal =
        "worker: 1 (expected: one that is reserved, or whose fence is past "
            + fleet.now().plusSeconds(35)
            + "; it is leased to host-0 until "
            + fence
            + ", and is taken from its holder without a newest ID)";

    for (Instant issuedBefore : new Instant[] {Instant.EPOCH, START.plusSeconds(30)}) {
      assertThatThrownBy(() -> namespace.release(WorkerSet.of("0-1"), issuedBefore))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(refusal);
    }

    assertThat(fleet.record(1).held()).isTrue();
    assertThat(namespace.release(0, Instant.EPOCH).fence()).isEqualTo(until);
    fleet.pass(Duration.ofSeconds(20));
    assertThat(worker(snowflake)).isEqualTo(1);
  }

  @Test
  void severalAreReleasedAllOrNone() {
    var unused = reserve(0, WorkerEntry.NEVER);
    WorkerSet both = WorkerSet.of("0-1");
    assertThatThrownBy(() -> namespace.release(both, START))
        .hasMessage("worker: 1 (expected: one that was leased in namespace orders)");
    assertThat(namespace.workers().get(0).fence()).isEqualTo(WorkerEntry.NEVER);
    assertThatThrownBy(() -> namespace.release(both)).hasMessageContaining("it is reserved for");
    assertThat(reserve1().reserved()).isTrue();
    assertThat(namespace.release(both, START))
        .extracting(WorkerEntry::fence)
        .containsOnly(fleet.now().plus(SKEW));
  }

  @Test
  void severalAreReservedAllOrNoneAndACheckWritesNothing() {
    Member member = fleet.member();
    Snowflake held = member.start(TWO_WORKERS, member.lease().worker(1));
    WorkerSet both = WorkerSet.of("0-1");
    Map<String, Register> before = fleet.store.copy();
    assertThatThrownBy(() -> namespace.checkReservable(both, TWO_WORKERS, "x", NEVER, false))
        .hasMessageStartingWith("Worker 1 of orders is leased to host-0, process ");
    assertThatThrownBy(() -> namespace.reserve(both, TWO_WORKERS, "x", NEVER, false))
        .hasMessageStartingWith("Worker 1 of orders is leased to host-0, process ");
    assertThatThrownBy(() -> namespace.checkReservable(both, IdLayout.LEAF, "x", NEVER, false))
        .isInstanceOf(LayoutMismatchException.class);
    assertThatThrownBy(() -> namespace.checkReservable(both, TWO_WORKERS, "x", START, false))
        .hasMessageStartingWith("until: ");
    WorkerSet three = WorkerSet.of("0-2");
    assertThatThrownBy(() -> namespace.checkReservable(three, TWO_WORKERS, "x", NEVER, false))
        .hasMessageStartingWith("workers: 0-2 (expected: within 0-1, ");
    assertThat(fleet.store.copy()).isEqualTo(before);
    held.close();
    fleet.pass(Duration.ofSeconds(1));
    namespace.checkReservable(both, TWO_WORKERS, "x", NEVER, false);
    assertThat(namespace.reserve(both, TWO_WORKERS, "x", NEVER, false))
        .isEqualTo(namespace.workers());
  }

  private WorkerEntry reserve1() {
    return reserve(1, WorkerEntry.NEVER);
  }

  @Test
  void aReleaseWhileTheClockIsBehindLeavesTheTimesBeforeTheReservation() {
    var unused = reserve(0, WorkerEntry.NEVER);
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() - Duration.ofHours(1).toMillis());

    assertThat(namespace.release(0, Instant.EPOCH).fence()).isEqualTo(START);
  }

  @Test
  void isWrittenAgainUntilTheStoreAcknowledgesIt() {
    var unused = reserve1();
    for (Fault fault : new Fault[] {Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.SENT_TWICE}) {
      fleet.store.nextWrites(fault);
      WorkerEntry entry = reserve(0, WorkerEntry.NEVER);
      assertThat(entry).isEqualTo(namespace.workers().get(0));
      assertThat(fleet.record(0).reserved()).isTrue();
    }
  }

  @Test
  void refusesWhatTheLayoutDoesNotHaveAndAnEndInThePast() {
    assertThatThrownBy(() -> reserve(2, WorkerEntry.NEVER))
        .hasMessage("worker: 2 (expected: 0..1, the layout is " + TWO_WORKERS + ")");
    assertThatThrownBy(() -> reserve(0, START)).hasMessageStartingWith("until: " + START);
    WorkerSet first = WorkerSet.of("0");
    assertThatThrownBy(() -> namespace.checkReservable(first, TWO_WORKERS, "x", START, false))
        .hasMessageStartingWith("until: " + START);
    assertThatThrownBy(() -> namespace.reserve(0, TWO_WORKERS, " x", WorkerEntry.NEVER, false))
        .hasMessage("by:  x (expected: 1..100 visible ASCII characters and spaces)");
    var unused = reserve(0, WorkerEntry.NEVER);
    assertThatThrownBy(
            () -> namespace.reserve(1, IdLayout.LEAF, "old Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(LayoutMismatchException.class);
  }

  @Test
  void aStoreThatMayForgetIsRefusedUnlessItIsAllowed() {
    RegisterStore forgetting = fleet.store.thatMayForget();
    Namespace there = Namespace.of(forgetting, "orders");
    assertThatThrownBy(() -> there.reserve(0, TWO_WORKERS, "old", WorkerEntry.NEVER, false))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("may lose the reservation");
    assertThatThrownBy(() -> there.reserve(0, TWO_WORKERS, "old", WorkerEntry.NEVER, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "namespace: orders (expected: a namespace that a generator has used");
    fleet.member().start(TWO_WORKERS).close();
    fleet.pass(Duration.ofMinutes(1)); // its first window leads
    assertThat(there.reserve(0, TWO_WORKERS, "old", WorkerEntry.NEVER, true).reserved()).isTrue();
  }

  /** The store forgot who holds the worker, and that holder continues. */
  @Test
  void nothingIsReservedBeforeTheSettlingTimeIsOver() {
    fleet.store.withIdentity("one");
    fleet.member().start(ONE_WORKER).close();
    fleet.pass(Duration.ofSeconds(200));
    Map<String, Register> older = fleet.store.copy();
    fleet.member().start(ONE_WORKER);
    fleet.store.rollBack(older);
    fleet.store.withIdentity("two");

    assertThatThrownBy(() -> namespace.reserve(0, ONE_WORKER, "old", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "Store faulty: was started, promoted or restored, and may have forgotten");
    WorkerSet only = WorkerSet.of("0");
    fleet.time.advance(Duration.ofSeconds(60).minusMillis(1));
    assertThatThrownBy(() -> namespace.checkReservable(only, ONE_WORKER, "old", NEVER, false))
        .hasMessageStartingWith(
            "Store faulty: was started, promoted or restored, and may have forgotten");
    fleet.time.advance(Duration.ofMillis(1));
    namespace.checkReservable(only, ONE_WORKER, "old", NEVER, false);
    assertThat(namespace.reserve(0, ONE_WORKER, "old", WorkerEntry.NEVER, false).reserved())
        .isTrue();
  }

  @Test
  void aWorkerWhoseHolderCrashedIsReservedOnceNoReplacedStoreKeepsIt() {
    fleet.store.withIdentity("run1");
    Member crashed = fleet.member();
    Instant fence = Fleet.fence(crashed.start(TWO_WORKERS, crashed.lease().worker(0)));
    Instant free = fence.plusSeconds(60);
    fleet.time.advance(Duration.between(fleet.now(), free).minusMillis(1));

    assertThatThrownBy(() -> reserve(0, WorkerEntry.NEVER))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("; it is free at " + free + " unless renewed");
    fleet.time.advance(Duration.ofMillis(1));
    assertThat(reserve(0, WorkerEntry.NEVER).since()).contains(free);
  }

  @Test
  void aReservationIsBoundToTheIdentityOfTheStore() {
    fleet.store.withIdentity("run1");
    fleet.member().start(TWO_WORKERS).close();
    long free = 1 - fleet.namespace().workers().get(0).worker(); // never leased
    fleet.store.beforeNextWrite(() -> fleet.store.withIdentity("run2"));

    assertThatThrownBy(() -> reserve(free, WorkerEntry.NEVER))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Store faulty: was started, promoted or restored");
    assertThat(fleet.store.read(fleet.register(free))).isEmpty();
  }

  @Test
  void recordsAreReadAsTheyAreWritten() {
    WorkerRecord record =
        WorkerRecord.reserved(
                START.toEpochMilli(), START.plusSeconds(1).toEpochMilli(), "old %20 Leaf", "t")
            .withNonce("n");
    assertThat(record.text())
        .isEqualTo(
            "firn-worker/1 state=reserved by=old%20%2520%20Leaf since=2026-11-01T00:00:00Z"
                + " until=2026-11-01T00:00:01Z token=t nonce=n");
    assertThat(WorkerRecord.parse(new Register("orders/worker/3", 1, record.text())))
        .isEqualTo(record);
    WorkerRecord endless = record.withFence(WorkerRecord.NEVER_MILLIS);
    assertThat(endless.text()).doesNotContain("until");
    assertThat(WorkerRecord.parse(new Register("orders/worker/3", 1, endless.text())))
        .isEqualTo(endless);
  }

  @Test
  void storeWhoseCallsMayTakeLongerThanHalfOfAWindowIsReservedInToo() {
    RegisterStore slow =
        new InterposedStore(fleet.store) {
          @Override
          public Optional<Duration> callTimeout() {
            return Optional.of(Duration.ofSeconds(60));
          }
        };
    Namespace there = Namespace.of(slow, "orders", fleet.member());

    assertThat(there.reserve(0, TWO_WORKERS, "old", WorkerEntry.NEVER, false).reserved()).isTrue();
  }
}
