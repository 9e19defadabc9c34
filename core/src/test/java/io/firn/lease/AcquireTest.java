package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.LayoutExpiredException;
import io.firn.Snowflake;
import io.firn.WaitInterruptedException;
import io.firn.lease.Fleet.Member;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AcquireTest {

  private static final IdLayout MILLION_WORKERS =
      IdLayout.of("38t+20w+5s@2026-01-01T00:00:00Z/10ms");

  private final Fleet fleet = new Fleet();

  @Test
  void firstWindowBeginsNowAndLastsThirtySeconds() {
    Snowflake snowflake = fleet.member().start(IdLayout.CLASSIC);

    LeaseStatus status = snowflake.leaseStatus().orElseThrow();
    assertThat(status)
        .isEqualTo(
            new LeaseStatus(
                "orders",
                worker(snowflake),
                "host-0",
                START,
                START.plusSeconds(30),
                START,
                Duration.ZERO,
                "faulty:",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    assertThat(snowflake.layout().parse(snowflake.nextId()).worker()).isEqualTo(status.worker());
  }

  @Test
  void firstIdIsIssuedAtOnce() {
    Member member = fleet.member();

    Snowflake snowflake = member.start(IdLayout.CLASSIC);

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(START);
    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void instanceComesBackToItsOwnWorker() {
    Set<Long> workers = new HashSet<>();
    for (int restart = 0; restart < 20; restart++) {
      try (Snowflake snowflake =
          fleet.member().start(IdLayout.CLASSIC, fleet.member().lease("orders-7"))) {
        workers.add(worker(snowflake));
        snowflake.nextId();
        fleet.pass(Duration.ofMillis(100));
      }
    }

    assertThat(workers).hasSize(1);
  }

  /** As in a file store, where a process that is stopped in a write has the lock of a register. */
  @Test
  void anotherWorkerIsLeasedWhereTheRegisterOfTheHomeCannotBeWritten() {
    Member member = fleet.member();
    Snowflake before = member.start(IdLayout.CLASSIC, member.lease("orders-7"));
    long home = worker(before);
    before.close();
    RegisterStore store =
        new InterposedStore(fleet.store) {
          @Override
          public WriteResult compareAndSet(String name, long expectedVersion, String value) {
            if (name.endsWith("/worker/" + home)) {
              throw new StoreException("another process has the lock for 5000 ms");
            }
            return super.compareAndSet(name, expectedVersion, value);
          }
        };

    Snowflake snowflake =
        member.start(
            IdLayout.CLASSIC,
            LeaseConfig.builder(store, Fleet.NAMESPACE).instance("orders-7").keeper(member.keeper));

    assertThat(worker(snowflake)).isNotEqualTo(home);
  }

  @Test
  void instancesOfOneNameGetDifferentWorkers() {
    Set<Long> workers = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Member member = fleet.member();
      workers.add(worker(member.start(IdLayout.CLASSIC, member.lease("same"))));
    }

    assertThat(workers).hasSize(100);
  }

  @Test
  void homesOfManyInstancesSpreadOverTheWorkers() {
    Set<Long> homes = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      Fleet alone = new Fleet();
      Member member = alone.member();
      homes.add(worker(member.start(IdLayout.CLASSIC, member.lease("web-" + i))));
    }

    assertThat(homes).hasSizeBetween(550, 720); // 1024 * (1 - 1/e) = 638 if they are random
  }

  @Test
  void readsFiveRegistersInAnEmptySpaceOfAMillionWorkers() {
    fleet.member().start(MILLION_WORKERS);

    // The worker, and the layout and the floor before and after.
    assertThat(fleet.store.reads()).isEqualTo(5);
    assertThat(fleet.store.scans()).isZero();
  }

  @Test
  void waitsForTheStoreFourTimesAtMost() {
    fleet.member().start(IdLayout.CLASSIC);
    assertThat(callsOfAStart()).isEqualTo(3);

    fleet.store.withClock(fleet.time::currentTimeMillis);
    assertThat(callsOfAStart()).isEqualTo(4);

    fleet.store.thatMayForget();
    assertThat(callsOfAStart()).isEqualTo(4);
  }

  private long callsOfAStart() {
    Member member = fleet.member();
    long before = fleet.store.calls();
    Snowflake snowflake = member.start(IdLayout.CLASSIC, member.lease("i" + fleet.store.calls()));
    long calls = fleet.store.calls() - before;
    snowflake.nextId();
    return calls;
  }

  @Test
  void readsAFewRegistersInAHalfFullSpaceOfAMillionWorkers() {
    long workers = MILLION_WORKERS.workers();
    for (long worker = 0; worker < workers; worker += 2) {
      fleet.store.put(fleet.register(worker), heldUntil(START.plusSeconds(20)));
    }
    long readsBefore = fleet.store.reads();

    int starts = 200;
    for (int i = 0; i < starts; i++) {
      Snowflake snowflake = fleet.member().start(MILLION_WORKERS);
      assertThat(worker(snowflake) % 2).isEqualTo(1);
    }

    assertThat(fleet.store.reads() - readsBefore).isBetween(4L * starts, 6L * starts);
    assertThat(fleet.store.scans()).isZero();
  }

  @Test
  void findsTheOnlyFreeWorkerByOneScan() {
    for (long worker = 0; worker < 1024; worker++) {
      if (worker != 700) {
        fleet.store.put(fleet.register(worker), heldUntil(START.plusSeconds(20)));
      }
    }

    Snowflake snowflake = fleet.member().start(IdLayout.CLASSIC);

    assertThat(worker(snowflake)).isEqualTo(700);
    assertThat(fleet.store.scans()).isEqualTo(1);
    assertThat(fleet.store.reads()).isLessThan(20);
  }

  @Test
  void findsTheOnlyReleasedWorkerByOneScan() {
    for (long worker = 0; worker < 1024; worker++) {
      fleet.store.put(
          fleet.register(worker),
          worker == 700 ? released(START.minusSeconds(1)) : heldUntil(START.plusSeconds(20)));
    }

    assertThat(worker(fleet.member().start(IdLayout.CLASSIC))).isEqualTo(700);
  }

  @Test
  void heldWorkerIsFreeAtItsFenceAndNotAMillisecondBefore() {
    fleet.store.put(fleet.register(0), heldUntil(START.plusMillis(1)));
    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);

    fleet.pass(Duration.ofMillis(1));
    Snowflake snowflake = fleet.member().start(ONE_WORKER);

    assertThat(Fleet.notBefore(snowflake)).isEqualTo(START.plusMillis(1));
  }

  @Test
  void thousandAndTwentyFifthProcessGetsTheNumberOfLeasesAndTheTimeOfTheNextFreeOne() {
    List<Snowflake> all = new ArrayList<>();
    Set<Long> workers = new HashSet<>();
    for (int i = 0; i < 1024; i++) {
      Snowflake snowflake = fleet.member().start(IdLayout.CLASSIC);
      all.add(snowflake);
      workers.add(worker(snowflake));
      fleet.time.advance(Duration.ofMillis(5));
    }
    assertThat(workers).hasSize(1024);
    // They started within 5.12 s of each other: the first one's fence comes first.
    Instant next = START.plusSeconds(30);

    assertThatThrownBy(() -> fleet.member().start(IdLayout.CLASSIC))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 1024 of 1024 are leased; the next is free at " + next);

    all.get(500).close();
    assertThat(worker(fleet.member().start(IdLayout.CLASSIC))).isEqualTo(worker(all.get(500)));
  }

  @Test
  void waitsForAFreeWorkerUpToTheAcquireTimeout() {
    fleet.member().start(ONE_WORKER); // and crashes: its keeper never runs
    Member second = fleet.member();

    Snowflake snowflake =
        second.start(ONE_WORKER, second.lease().acquireTimeout(Duration.ofMinutes(1)));

    assertThat(fleet.now()).isBetween(START.plusSeconds(30), START.plusMillis(30_500));
    assertThat(Fleet.notBefore(snowflake)).isEqualTo(fleet.now());
  }

  /** A wrong password looks like an outage: who waits is told why. */
  @Test
  void saysOnceWhatItWaitsForWhenThatTakesTwoSeconds() {
    fleet.store.goDown();
    Member member = fleet.member();
    LeaseConfig.Builder lease = member.lease().acquireTimeout(Duration.ofSeconds(20));
    try (LogLines log = new LogLines("io.firn.lease")) {
      assertThatThrownBy(() -> member.start(ONE_WORKER, lease)).isInstanceOf(StoreException.class);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches("waiting for up to 1[78]\\d{3} ms for a worker ID of orders: Store faulty.*");
    }
  }

  @Test
  void doesNotSayWhatItWaitsForBriefly() {
    fleet.store.goDown();
    Member member = fleet.member();
    member.atNextPark(fleet.store::comeBack);
    LeaseConfig.Builder lease = member.lease().acquireTimeout(Duration.ofSeconds(20));
    try (LogLines log = new LogLines("io.firn.lease")) {
      assertThat(member.start(ONE_WORKER, lease).nextId()).isPositive();
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void givesUpWhenTheAcquireTimeoutIsOver() {
    fleet.member().start(ONE_WORKER);
    Member second = fleet.member();
    LeaseConfig.Builder lease = second.lease().acquireTimeout(Duration.ofMillis(29_999));

    assertThatThrownBy(() -> second.start(ONE_WORKER, lease))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 1 of 1 are leased; the next is free at "
                + START.plusSeconds(30));
    assertThat(fleet.now()).isEqualTo(START.plusMillis(29_999));
  }

  @Test
  void anInterruptEndsTheWaitForAWorkerAndStaysSet() {
    fleet.member().start(ONE_WORKER);
    Member second = fleet.member();
    LeaseConfig.Builder lease = second.lease().acquireTimeout(Duration.ofDays(1));
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> second.start(ONE_WORKER, lease))
        .isInstanceOf(WaitInterruptedException.class)
        .hasMessageMatching("Interrupted with [0-9]+ ms left to wait for a worker ID of orders")
        .hasCauseInstanceOf(NoFreeWorkerException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void pinnedProcessGetsItsWorkerAndNoOther() {
    Member member = fleet.member();

    assertThat(worker(member.start(IdLayout.CLASSIC, member.lease().worker(1023)))).isEqualTo(1023);
    assertThat(fleet.store.scans()).isZero();
  }

  /** As where reads go to a replica that lags, and writes to the server. */
  @Test
  @Timeout(60)
  void pinnedProcessEndsWhereReadsDoNotSeeTheRecordThatRefusesItsWrites() {
    fleet.member().start(IdLayout.CLASSIC, fleet.member().lease().worker(3));
    RegisterStore lagging =
        new InterposedStore(fleet.store) {
          @Override
          public Optional<Register> read(String name) {
            return name.endsWith("/worker/3") ? Optional.empty() : super.read(name);
          }
        };
    Member second = fleet.member();
    LeaseConfig.Builder lease =
        LeaseConfig.builder(lagging, Fleet.NAMESPACE)
            .worker(3)
            .acquireTimeout(Duration.ZERO)
            .keeper(second.keeper);

    assertThatThrownBy(() -> second.start(IdLayout.CLASSIC, lease))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Store faulty: refused to write register orders/worker/3 64 times, which was absent at"
                + " each reading between: its reads do not see its writes; use an address that"
                + " reads where it writes");
  }

  @Test
  @Timeout(60)
  void processSaysThatWritesAreRefusedWhereReadsShowEveryWorkerFree() {
    fleet.member().start(TWO_WORKERS);
    fleet.member().start(TWO_WORKERS);
    Member third = fleet.member();
    LeaseConfig.Builder lease =
        LeaseConfig.builder(fleet.splitStore(), Fleet.NAMESPACE)
            .acquireTimeout(Duration.ZERO)
            .keeper(third.keeper);

    assertThatThrownBy(() -> third.start(TWO_WORKERS, lease))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 0 of 2 are leased; every write was refused: other"
                + " processes were faster, or the store's reads do not see its writes; try again,"
                + " or use an address that reads where it writes");
  }

  @Test
  void processesThatScanTryTheFreeWorkersFromARandomPlaceOn() {
    IdLayout layout = IdLayout.of("45t+7w+6s@2026-01-01T00:00:00Z/1ms");
    for (long worker = 0; worker < 128; worker++) {
      Member member = fleet.member();
      Snowflake snowflake = member.start(layout, member.lease().worker(worker));
      if (worker % 32 == 7) {
        snowflake.close();
      }
    }
    Set<Long> taken = new HashSet<>();
    for (int i = 0; i < 16; i++) {
      long scans = fleet.store.scans();
      Snowflake snowflake = fleet.member().start(layout);
      if (fleet.store.scans() > scans) {
        taken.add(worker(snowflake));
      }
      snowflake.close();
    }
    assertThat(taken).isSubsetOf(7L, 39L, 71L, 103L).hasSizeGreaterThan(1);
  }

  @Test
  void pinnedProcessIsRefusedWithTheTimeWhileAnothersWindowIsOpen() {
    Member first = fleet.member();
    first.start(IdLayout.CLASSIC, first.lease().worker(3));
    fleet.time.advance(Duration.ofMillis(29_999));
    Member second = fleet.member();

    assertThatThrownBy(
            () ->
                second.start(
                    IdLayout.CLASSIC, second.lease().worker(3).acquireTimeout(Duration.ZERO)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Worker 3 of orders is leased to host-0, process "
                + ProcessHandle.current().pid()
                + "; it is free at "
                + START.plusSeconds(30));

    fleet.time.advance(Duration.ofMillis(1));
    assertThat(worker(second.start(IdLayout.CLASSIC, second.lease().worker(3)))).isEqualTo(3);
  }

  @Test
  void pinnedProcessWaitsOutAnothersWindow() {
    Member first = fleet.member();
    first.start(IdLayout.CLASSIC, first.lease().worker(3));
    Member second = fleet.member();

    Snowflake snowflake =
        second.start(
            IdLayout.CLASSIC, second.lease().worker(3).acquireTimeout(Duration.ofMinutes(1)));

    assertThat(worker(snowflake)).isEqualTo(3);
    assertThat(fleet.now()).isBetween(START.plusSeconds(30), START.plusMillis(30_500));
  }

  @Test
  void pinnedProcessThatLosesARaceNamesTheWinner() {
    Member late = fleet.member();
    Member winner = fleet.member();
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + IdLayout.CLASSIC);
    fleet.store.beforeNextWrite(() -> winner.start(IdLayout.CLASSIC, winner.lease().worker(3)));

    assertThatThrownBy(
            () ->
                late.start(IdLayout.CLASSIC, late.lease().worker(3).acquireTimeout(Duration.ZERO)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageStartingWith("Worker 3 of orders is leased to host-1, process ");
  }

  @Test
  void pinnedWorkerMustFitTheLayout() {
    Member member = fleet.member();
    assertThat(worker(member.start(TWO_WORKERS, member.lease().worker(0)))).isZero();
    assertThat(worker(member.start(TWO_WORKERS, member.lease().worker(1)))).isEqualTo(1);

    assertThatThrownBy(() -> member.start(TWO_WORKERS, member.lease().worker(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("worker: 2 (expected: 0..1, the layout is 45t+1w+6s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void datacenterAndWorkerAreLeasedAsOneNumber() {
    Member member = fleet.member();

    Snowflake snowflake = member.start(IdLayout.TWITTER, member.lease().worker(33));

    assertThat(snowflake.layout().parse(snowflake.nextId()))
        .satisfies(id -> assertThat(id.datacenter()).isEqualTo(1))
        .satisfies(id -> assertThat(id.worker()).isEqualTo(1));
  }

  @Test
  void loserOfARaceForAWorkerTakesAnother() {
    Member first = fleet.member();
    Member second = fleet.member();
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + TWO_WORKERS);
    List<Snowflake> both = new ArrayList<>();
    fleet.store.beforeNextWrite(() -> both.add(second.start(TWO_WORKERS, second.lease("host-0"))));

    both.add(first.start(TWO_WORKERS));

    assertThat(both.stream().map(Fleet::worker)).containsExactlyInAnyOrder(0L, 1L);
  }

  private static String heldUntil(Instant fence) {
    return "firn-worker/1 state=held fence=" + fence + " windowMillis=30000 holder=x pid=1 token=t";
  }

  private static String released(Instant fence) {
    return "firn-worker/1 state=released fence="
        + fence
        + " windowMillis=30000 holder=x pid=1 token=t";
  }

  @Test
  void leasedGeneratorEndsWithItsLayoutThoughTheWindowContinues() {
    IdLayout layout = IdLayout.of("10t+1w+53s@" + START + "/1s"); // 64 bits: IDs turn negative
    fleet.time.advance(Duration.ofSeconds(500));
    Member member = fleet.member();
    Snowflake snowflake =
        member
            .builder(layout, member.lease().window(Duration.ofSeconds(60)))
            .allowUnderTenYears()
            .build();

    long last = -1;
    for (int second = 500; second < 512; second++) {
      last = Fleet.nextAfter(snowflake, last);
      fleet.pass(Duration.ofSeconds(1));
    }

    assertThat(last).isPositive();
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LayoutExpiredException.class);
  }

  @Test
  void workerWhoseRecordCannotBeReadIsLeftAlone() {
    for (int home = 0; home < 2; home++) {
      Fleet fresh = new Fleet();
      fresh.store.put(fresh.register(home), "firn-worker/2 something else");
      Snowflake snowflake = fresh.member().start(TWO_WORKERS);
      assertThat(worker(snowflake)).isEqualTo(1 - home);
      assertThatThrownBy(() -> fresh.member().start(TWO_WORKERS))
          .isInstanceOf(NoFreeWorkerException.class)
          .hasMessage(
              "No worker ID of orders is free: 1 of 2 are leased, and the records of 1 cannot be"
                  + " read;"
                  + " the next is free at 2026-11-01T00:00:30Z");
    }
  }

  @Test
  void pinnedWorkerWhoseRecordCannotBeReadIsRefusedAtOnce() {
    fleet.store.put(fleet.register(1), "firn-worker/2 something else");
    Member member = fleet.member();

    assertThatThrownBy(
            () ->
                member.start(
                    TWO_WORKERS, member.lease().worker(1).acquireTimeout(Duration.ofHours(1))))
        .hasMessage(
            "Register orders/worker/1 cannot be read: it holds firn-worker/2 something else, and this"
                + " version reads firn-worker/1 …; use the version that wrote it, or restore the"
                + " register");
    assertThat(fleet.now()).isEqualTo(START);
  }

  /** A million workers have one layout, which is not parsed a million times. */
  @Test
  void workersOfOneCensusShareTheirLayout() {
    for (int i = 0; i < 3; i++) {
      Snowflake unused = fleet.member().start(IdLayout.CLASSIC);
    }

    List<WorkerEntry> workers = Namespace.of(fleet.store, "orders").workers();
    assertThat(workers).hasSize(3);
    IdLayout first = workers.get(0).layout().orElseThrow();
    assertThat(first).isEqualTo(IdLayout.CLASSIC);
    assertThat(workers).allSatisfy(worker -> assertThat(worker.layout().get()).isSameAs(first));
  }
}
