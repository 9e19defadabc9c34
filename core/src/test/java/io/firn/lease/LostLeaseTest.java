package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.ClockMovedBackwardsException;
import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.testkit.IdHistory;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LostLeaseTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  @Test
  void goesOverToAnotherWorkerOneTickLater() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long before = worker(snowflake);
    fleet.pass(Duration.ofMillis(14_900));
    long last = snowflake.nextId();
    fleet.time.advance(Duration.ofMillis(99));
    last = Fleet.nextAfter(snowflake, last);
    takeAway(before);

    fleet.pass(Duration.ofMillis(1));

    assertThat(worker(snowflake)).isEqualTo(1 - before);
    IdParts next = snowflake.layout().parse(Fleet.nextAfter(snowflake, last));
    assertThat(next.worker()).isEqualTo(1 - before);
    assertThat(next.instant()).isEqualTo(Fleet.timeOf(snowflake, last).plusMillis(1));
  }

  @Test
  void issuesNoTickWithTwoWorkers() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofMillis(14_999));
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(snowflake.nextId());
    }
    takeAway(worker(snowflake));
    fleet.time.advance(Duration.ofMillis(1));
    for (int i = 0; i < 10; i++) {
      ids.add(snowflake.nextId());
    }
    fleet.pass(Duration.ofMillis(1));
    for (int i = 0; i < 10; i++) {
      ids.add(snowflake.nextId());
    }

    assertThat(ids).isSorted().doesNotHaveDuplicates();
    assertThat(ids.stream().map(id -> TWO_WORKERS.parse(id).worker()).distinct()).hasSize(2);
    assertThat(ids.stream().map(id -> TWO_WORKERS.parse(id).tick()).distinct().count())
        .isEqualTo(
            ids.stream()
                .map(id -> TWO_WORKERS.parse(id))
                .map(id -> id.tick() + "/" + id.worker())
                .distinct()
                .count());
  }

  @Test
  void cutsTheOldWorkerOffBehindIdsThatWereDrawnWhileTheNewOneWasLeased() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    List<Long> drawn = new ArrayList<>();
    fleet.pass(Duration.ofMillis(14_999));
    takeAway(worker);
    Runnable draw =
        () -> {
          fleet.time.advance(Duration.ofMillis(5));
          drawn.add(snowflake.nextId());
        };
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextWrite(draw)); // renewal, acquisition

    fleet.pass(Duration.ofMillis(1));

    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    IdParts last = TWO_WORKERS.parse(drawn.get(0));
    IdParts next = TWO_WORKERS.parse(snowflake.nextId());
    assertThat(last.worker()).isEqualTo(worker);
    assertThat(next.worker()).isEqualTo(1 - worker);
    assertThat(next.tick()).isEqualTo(last.tick() + 1);
  }

  @Test
  void numberDrawnBeforeTheNewWorkerIsDroppedAlsoAfterARenewal() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.builder(TWO_WORKERS, member.lease()).maxLead(Duration.ofSeconds(5)).build();
    long old = worker(snowflake);
    fleet.pass(Duration.ofMillis(14_900));
    while (member.nanosParked() == 0) { // uses up the lead, so that each call draws and waits
      snowflake.nextId();
    }
    for (int i = 1; i < 64; i++) {
      snowflake.nextId();
    }
    List<IdParts> ids = new ArrayList<>();
    member.atNextPark(
        () -> { // while the next call waits with the first number of a tick
          ids.add(TWO_WORKERS.parse(snowflake.nextId()));
          takeAway(old);
          fleet.pass(Duration.ofMillis(100)); // leases the other worker
          fleet.pass(Duration.ofSeconds(15)); // renews it
        });
    ids.add(TWO_WORKERS.parse(snowflake.nextId()));

    assertThat(ids.stream().map(IdParts::worker)).containsExactly(old, 1 - old);
    assertThat(ids.get(1).tick()).isGreaterThan(ids.get(0).tick());
  }

  @Test
  void usesUpItsWindowWhileNoOtherWorkerIsFree() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    long last = snowflake.nextId();
    takeAway(0); // by a process that has the ID times after its fence
    for (int second = 0; second < 29; second++) {
      fleet.pass(Duration.ofSeconds(1));
      last = Fleet.nextAfter(snowflake, last);
    }
    fleet.pass(Duration.ofSeconds(1));

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessage(
            "The lease of worker 0 of orders ended at "
                + START.plusSeconds(30)
                + " and was not renewed by "
                + START.plusSeconds(30)
                + "; faulty: last renewed it 30000 ms before, and IDs resume with its next renewal;"
                + " last error: No worker ID of orders is free: 1 of 1 are leased; the next is free at "
                + START.plusSeconds(60));

    fleet.pass(Duration.ofSeconds(32));
    last = Fleet.nextAfter(snowflake, last);
    assertThat(Fleet.timeOf(snowflake, last)).isEqualTo(fleet.now());
  }

  @Test
  void pinnedGeneratorWaitsForItsWorkerAndTakesNoOther() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));
    takeAway(1);

    fleet.pass(Duration.ofSeconds(45));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError().orElseThrow())
        .isEqualTo(
            "Worker 1 of orders is leased to thief, process 1; it is free at "
                + START.plusSeconds(60));
    fleet.pass(Duration.ofSeconds(20));

    assertThat(snowflake.layout().parse(snowflake.nextId()).worker()).isEqualTo(1);
  }

  @Test
  void idsGrowForThreadsThatDrawWhileTheWorkerChanges() throws Exception {
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    IdLayout layout = IdLayout.of("41t+6w+16s@2026-01-01T00:00:00Z/1ms");
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    int threads = 3;
    List<LeaseStatus> losses = new CopyOnWriteArrayList<>();
    LeaseListener listener =
        new LeaseListener() {
          @Override
          public void lost(LeaseStatus status) {
            losses.add(status);
          }
        };
    try (IdHistory history = new IdHistory(threads, threads << 20);
        Snowflake snowflake =
            Snowflake.builder()
                .layout(layout)
                .lease(
                    LeaseConfig.builder(store, "orders")
                        .window(Duration.ofMillis(200))
                        .listener(listener)
                        .build())
                .build()) {
      List<Thread> drawers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        IdHistory.Writer writer = history.newWriter();
        Thread thread =
            new Thread(
                () -> {
                  try {
                    for (long n = 0; n < 3_000_000 && !stop.get(); n++) {
                      writer.add(snowflake.nextId());
                    }
                  } catch (RuntimeException | AssertionError e) {
                    failure.set(e);
                  }
                });
        drawers.add(thread);
        thread.start();
      }
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      for (int i = 0; losses.size() < 6 && System.nanoTime() < end; i++) {
        Thread.sleep(150);
        Register register = store.read("orders/worker/" + worker(snowflake)).orElseThrow();
        store.compareAndSet(
            register.name(),
            register.version(),
            register.value().replaceAll("token=.*", "token=thief-" + i));
      }
      stop.set(true);
      for (Thread drawer : drawers) {
        drawer.join();
      }

      assertThat(failure.get()).isNull();
      IdHistory.Report report = history.finish();
      assertThat(report.duplicates()).isZero();
      assertThat(report.disorders()).isZero();
      assertThat(losses).hasSizeGreaterThanOrEqualTo(6);
    }
  }

  @Test
  void losingTheLeaseGivesNoLeaveToRunAheadOfAClockThatSteppedBack() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.start(TWO_WORKERS, member.lease().maxClockSkew(Duration.ofDays(1)));
    long worker = worker(snowflake);
    snowflake.nextId();
    member.ahead(Duration.ofHours(-1));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(ClockMovedBackwardsException.class);
    takeAway(worker(snowflake));
    fleet.pass(Duration.ofMinutes(1));

    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    assertThatThrownBy(snowflake::nextId).isInstanceOf(ClockMovedBackwardsException.class);
    fleet.pass(Duration.ofHours(1));
    assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(fleet.now().minus(Duration.ofHours(1)));
  }

  @Test
  void waitsForNoWindowThatAClockAheadHasPutIntoTheFuture() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.start(TWO_WORKERS, member.lease().maxClockSkew(Duration.ofDays(1)));
    snowflake.nextId();
    takeAway(worker(snowflake));
    member.ahead(Duration.ofHours(1));
    setRightBeforeWrite(member, 2); // the renewal, and the acquisition
    fleet.pass(Duration.ofMinutes(1));
    assertThat(Fleet.notBefore(snowflake)).isAfter(fleet.now().plusSeconds(3_500));

    assertThatThrownBy(snowflake::nextId).isInstanceOf(ClockMovedBackwardsException.class);

    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void waitsForNoFirstWindowThatAClockAheadHasPutIntoTheFuture() {
    Member member = fleet.member().ahead(Duration.ofHours(1));
    setRightBeforeWrite(member, 2); // that of the layout, and the acquisition
    Snowflake snowflake =
        member.start(TWO_WORKERS, member.lease().maxClockSkew(Duration.ofDays(1)));
    assertThat(Fleet.notBefore(snowflake)).isAfter(fleet.now().plusSeconds(3_500));

    assertThatThrownBy(snowflake::nextId).isInstanceOf(ClockMovedBackwardsException.class);

    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void windowAheadOfTheClockIsUsedAtOnceAlsoAfterARenewal() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().window(Duration.ofSeconds(2)));
    long worker = worker(snowflake);
    Instant ahead = START.plusSeconds(5); // by a clock that was ahead, and within the skew
    fleet.store.put(
        fleet.register(1 - worker), record(false, ahead.toEpochMilli(), START.toEpochMilli()));
    takeAway(worker);
    fleet.pass(Duration.ofMillis(1_100));
    assertThat(Fleet.notBefore(snowflake)).isEqualTo(ahead);

    fleet.pass(Duration.ofMillis(1_100)); // renews

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(ahead);
    assertThat(member.nanosParked()).isZero();
  }

  /** Sets a clock right once the lease has read it, so that the generator never does. */
  private void setRightBeforeWrite(Member member, int write) {
    if (write == 0) {
      member.ahead(Duration.ZERO);
    } else {
      fleet.store.beforeNextWrite(() -> setRightBeforeWrite(member, write - 1));
    }
  }

  /** Somebody else takes a worker as the protocol demands it: from its fence on. */
  private void takeAway(long worker) {
    WorkerRecord held = fleet.record(worker);
    fleet.store.put(
        fleet.register(worker),
        new WorkerRecord(
                held.fenceMillis() + 30_000,
                true,
                OptionalLong.of(held.fenceMillis()),
                30_000,
                "thief",
                1,
                "thief",
                "")
            .text());
  }

  @Test
  void asksForAWorkerTwiceAWindowThoughNoneIsSaidToBeFreeForAnHour() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().window(Duration.ofSeconds(2)));
    long fence = Fleet.fence(snowflake).toEpochMilli();
    fleet.store.put(
        fleet.register(0), record(true, fence + 3_600_000, fence)); // by a clock that is wrong
    fleet.pass(Duration.ofMillis(2_500));
    assertThat(Fleet.fence(snowflake)).isBeforeOrEqualTo(fleet.now());

    fleet.store.put(fleet.register(0), record(false, fence, fence));
    fleet.pass(Duration.ofMillis(1_100));

    assertThat(Fleet.fence(snowflake)).isAfter(fleet.now());
  }

  private static String record(boolean held, long fenceMillis, long sinceMillis) {
    return new WorkerRecord(fenceMillis, held, OptionalLong.of(sinceMillis), 2_000, "x", 1, "x", "")
        .text();
  }

  @Test
  void proofOfALossIsLoggedWithTheTimesInDoubt() {
    try (LogLines log = new LogLines("io.firn.lease")) {
      Member member = fleet.member();
      LeaseConfig.Builder lease =
          LeaseConfig.builder(fleet.store, "lost-and-logged").keeper(member.keeper);
      member.start(ONE_WORKER, lease).nextId();
      fleet.store.forgetAll();
      fleet.pass(Duration.ofSeconds(16));

      assertThat(log.messages())
          .filteredOn(line -> line.contains(" of lost-and-logged with times "))
          .singleElement()
          .asString()
          .startsWith(
              "store faulty: lost a write that it had acknowledged: IDs of worker 0 of"
                  + " lost-and-logged with times from 2026-11-01T00:00:00Z to 2026-11-01T00:00:00.");
    }
  }
}
