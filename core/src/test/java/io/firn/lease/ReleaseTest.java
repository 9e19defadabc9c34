package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.fence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.SnowflakeHandle;
import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.lease.Fleet.Member;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.LogLines;
import io.firn.time.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReleaseTest {

  private final Fleet fleet = new Fleet();

  @Test
  void givesBackWhatIsLeftOfTheWindow() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(7));
    snowflake.nextId();

    snowflake.close();

    assertThat(fleet.record(0).held()).isFalse();
    assertThat(fleet.record(0).fenceMillis())
        .isEqualTo(START.plusSeconds(7).plusMillis(1).toEpochMilli());
  }

  /** A copy of this process, made from a snapshot, may have used the rest of the window. */
  @Test
  void setsNoFenceBackThatHasPassed() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.nextId();
    fleet.time.advance(Duration.ofSeconds(30));

    snowflake.close();

    assertThat(fleet.record(0).held()).isFalse();
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(30).toEpochMilli());
  }

  @Test
  void setsTheFenceBackInTheLastMillisecondOfTheWindow() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.nextId();
    fleet.time.advance(Duration.ofMillis(29_999));

    snowflake.close();

    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusMillis(1).toEpochMilli());
  }

  @Test
  void workerIsLeasedAgainAtOnceAndItsIdsGrow() {
    long last = 0;
    for (int restart = 0; restart < 200; restart++) {
      try (Snowflake snowflake = fleet.member().start(ONE_WORKER)) {
        for (int i = 0; i < restart; i++) {
          last = Fleet.nextAfter(snowflake, last);
        }
      }
    }
    assertThat(Fleet.timeOf(fleet.member().start(ONE_WORKER), last)).isAfter(START);
  }

  @Test
  void setsTheFenceBackToTheNextTickAfterTheNewestId() {
    IdLayout layout = IdLayout.of("40t+4s@2026-01-01T00:00:00Z/10ms");
    for (int offset = 0; offset < 10; offset++) {
      Fleet fresh = new Fleet();
      fresh.time.advance(Duration.ofMillis(offset));
      Snowflake first = fresh.member().start(layout);
      long last = first.nextId();
      first.close();

      assertThat(fresh.record(0).fenceMillis())
          .isEqualTo(Fleet.timeOf(first, last).plusMillis(10).toEpochMilli());
      Snowflake second = fresh.member().start(layout);
      assertThat(Fleet.timeOf(second, second.nextId()))
          .isEqualTo(Fleet.timeOf(first, last).plusMillis(10));
    }
  }

  @Test
  void generatorThatDrewNothingGivesBackItsWholeWindow() {
    for (String layout :
        List.of("45t+6s@2026-01-01T00:00:00Z/1ms", "35t+6s@2026-01-01T00:00:00Z/1s")) {
      for (SequenceStart start : List.of(SequenceStart.CONTINUE, SequenceStart.random(64))) {
        Fleet fresh = new Fleet();
        Member member = fresh.member();
        for (int restart = 0; restart < 8; restart++) {
          member
              .start(member.builder(IdLayout.of(layout), member.lease()).sequenceStart(start))
              .close();
        }

        assertThat(Instant.ofEpochMilli(fresh.record(0).fenceMillis())).isEqualTo(START);
      }
    }
  }

  @Test
  void closesTwiceAsOnce() {
    Snowflake first = fleet.member().start(ONE_WORKER);
    first.close();
    Snowflake second = fleet.member().start(ONE_WORKER);
    int writes = fleet.store.writes(fleet.register(0));

    first.close();

    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(writes);
    assertThat(fleet.record(0).held()).isTrue();
    second.nextId();
  }

  @Test
  void closedGeneratorRefusesInClearWords() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    SnowflakeHandle handle = snowflake.newHandle();
    handle.nextId();
    snowflake.close();

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(GeneratorClosedException.class)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThatThrownBy(() -> snowflake.nextIds(new long[3], 0, 3))
        .isInstanceOf(GeneratorClosedException.class)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThatThrownBy(handle::nextId)
        .isInstanceOf(GeneratorClosedException.class)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThatThrownBy(() -> snowflake.newHandle().nextId())
        .isInstanceOf(GeneratorClosedException.class);
  }

  @Test
  void closedGeneratorStaysClosedWhateverTheKeeperDoes() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    snowflake.close();
    int writes = fleet.store.writes(fleet.register(0));

    fleet.pass(Duration.ofMinutes(2));

    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(writes);
    assertThatThrownBy(snowflake::nextId).isInstanceOf(GeneratorClosedException.class);
  }

  @Test
  void handleIssuesNothingThatTheNextHolderIssues() {
    Snowflake first = fleet.member().start(ONE_WORKER);
    SnowflakeHandle handle = first.newHandle(1000);
    long last = 0;
    for (int i = 0; i < 40; i++) {
      last = handle.nextId();
    }
    first.close();
    Snowflake second = fleet.member().start(ONE_WORKER);
    long next = second.nextId();

    // Numbers that the handle still holds come before all of the next holder's.
    for (int i = 0; i < 64; i++) {
      try {
        last = handle.nextId();
      } catch (GeneratorClosedException e) {
        break;
      }
    }
    assertThat(last).isLessThan(next);
    assertThatThrownBy(handle::nextId).isInstanceOf(GeneratorClosedException.class);
  }

  @Test
  void nothingIsIssuedPastTheFenceThatAClosingGeneratorGivesBack() throws Exception {
    for (int round = 0; round < 90; round++) {
      String sequence = List.of("", "+1s", "+20s").get(round % 3);
      InMemoryRegisterStore store = new InMemoryRegisterStore();
      Snowflake snowflake =
          Snowflake.builder()
              .layout(IdLayout.of("41t+1w" + sequence + "@2026-01-01T00:00:00Z/1ms"))
              .lease(LeaseConfig.builder(store, "orders").worker(0).build())
              .build();
      List<Drawer> drawers = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(3);
      for (int i = 0; i < 3; i++) {
        Drawer drawer = new Drawer(i == 0 ? snowflake.newHandle()::nextId : snowflake, begun);
        drawers.add(drawer);
        drawer.start();
      }
      begun.await();

      snowflake.close();

      long fence = WorkerRecord.parse(store.read("orders/worker/0").orElseThrow()).fenceMillis();
      for (Drawer drawer : drawers) {
        drawer.join();
        assertThat(drawer.failure)
            .hasMessage(
                "The generator is closed and issues no more IDs; close it after its last caller");
        assertThat(Fleet.timeOf(snowflake, drawer.last)).isBefore(Instant.ofEpochMilli(fence));
      }
    }
  }

  private static final class Drawer extends Thread {
    private final IdGenerator source;
    private final CountDownLatch begun;
    private long last;
    private RuntimeException failure;

    Drawer(IdGenerator source, CountDownLatch begun) {
      this.source = source;
      this.begun = begun;
    }

    @Override
    public void run() {
      try {
        while (true) {
          last = source.nextId();
          begun.countDown();
        }
      } catch (RuntimeException e) {
        failure = e;
      }
    }
  }

  @Test
  void closeEndsTheWaitOfACallerWhoseWindowIsUsedUp() throws Exception {
    Member member = fleet.member();
    Snowflake snowflake =
        Snowflake.builder()
            .layout(ONE_WORKER)
            .lease(member.lease().window(Duration.ofMillis(100)).build()) // nobody renews it
            .maxWait(Duration.ofDays(1))
            .build();
    Drawer caller = new Drawer(snowflake, new CountDownLatch(1));
    caller.start();
    while (caller.getState() != Thread.State.TIMED_WAITING
        || Instant.now().isBefore(fence(snowflake).plusMillis(50))) {
      Thread.sleep(5);
    }

    snowflake.close();

    caller.join(120_000);
    assertThat(caller.isAlive()).isFalse();
    assertThat(caller.failure)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
  }

  @Test
  void callerThatWaitsForTheNextTickGetsNoIdOfAClosedGenerator() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    while (member.nanosParked() == 0) { // uses up a tick, so that each call draws and waits
      snowflake.nextId();
    }
    for (int i = 0; i < 63; i++) {
      snowflake.nextId();
    }
    member.atNextPark(snowflake::close);

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(GeneratorClosedException.class)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
  }

  @Test
  void storeThatIsDownAtCloseLeavesTheWorkerTakenUntilItsFence() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.nextId();
    fleet.store.goDown();
    snowflake.close();
    fleet.store.comeBack();

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.pass(Duration.ofSeconds(30));
    fleet.member().start(ONE_WORKER).nextId();
  }

  @Test
  void reasonIsReportedWhereAWorkerIsNotReleased() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.goDown();
    try (LogLines lines = new LogLines("io.firn.lease")) {
      snowflake.close();
      String error = snowflake.leaseStatus().orElseThrow().lastError().orElseThrow();
      assertThat(error).startsWith("Store ");
      assertThat(lines.messages())
          .containsExactly(
              "not released: worker 0 of orders until 2026-11-01T00:00:30Z in faulty:"
                  + "; it stays taken until then; "
                  + error);
    }
  }

  @Test
  void noErrorIsReportedWhereAWorkerIsReleasedAfterAnOutage() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(20));
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isPresent();
    fleet.store.comeBack();

    snowflake.close();

    assertThat(fleet.record(0).held()).isFalse();
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  @Test
  void doesNotReleaseAWorkerThatAnotherHas() {
    Member first = fleet.member();
    Snowflake lost = first.start(ONE_WORKER);
    fleet.time.advance(Duration.ofSeconds(30));
    Snowflake second = fleet.member().start(ONE_WORKER);

    lost.close();

    assertThat(lost.leaseStatus().orElseThrow().lastError())
        .contains(
            "another process has changed its register, or the store did not confirm the write");
    assertThat(fleet.record(0).held()).isTrue();
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(fence(second).toEpochMilli());
  }

  /** The lease does not keep it alive, and what it drew is then not known. */
  @Test
  void leaseOfAGeneratorThatWasCollectedIsLeftToExpire() throws Exception {
    Lease lease = Lease.acquire(fleet.member().lease().build(), ONE_WORKER, null, fleet.time, 0);
    WeakReference<LeasedGenerator> generator = new WeakReference<>(lease.keepFor(new Collected()));
    while (generator.get() != null) {
      System.gc();
      Thread.sleep(10);
    }

    lease.close();

    assertThat(fleet.record(0).held()).isTrue();
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(30).toEpochMilli());
  }

  private static final class Collected implements LeasedGenerator {
    @Override
    public boolean usesScopes() {
      return false;
    }

    @Override
    public void switchTo(String layout, LeaseWindow window) {}

    @Override
    public boolean hasOpenScopes() {
      return false;
    }

    @Override
    public long lowMillis(long nowMillis) {
      return nowMillis;
    }

    @Override
    public long newestMillis() {
      return START.plusSeconds(20).toEpochMilli();
    }

    @Override
    public void permit(LeaseWindow window) {}

    @Override
    public long maxLeadMillis() {
      return 0;
    }

    @Override
    public long close() {
      return newestMillis();
    }
  }

  @Test
  void generatorThatIsClosedWhileItsLeaseIsReplacedLeavesNoFenceFarAhead() {
    Member member = fleet.member();
    AtomicReference<Snowflake> closing = new AtomicReference<>();
    InterposedStore store =
        new InterposedStore(fleet.store) {
          @Override
          public long newestMillis() {
            Snowflake snowflake = closing.getAndSet(null);
            if (snowflake != null) {
              snowflake.close();
            }
            return super.newestMillis();
          }
        };
    Snowflake snowflake =
        member.start(ONE_WORKER, LeaseConfig.builder(store, "orders").keeper(member.keeper));
    snowflake.nextId();
    fleet.time.advance(Duration.ofSeconds(40)); // past its fence: it has to be replaced
    closing.set(snowflake);

    member.keeper.runDue();

    assertThat(fleet.record(0).held()).isFalse();
    assertThat(Instant.ofEpochMilli(fleet.record(0).fenceMillis()))
        .isBetween(START, START.plusSeconds(71));
  }

  /** With the threads of the shared keeper, and a store that takes a moment to answer. */
  private Snowflake startOnASlowStore(InMemoryRegisterStore registers, TimeSource time) {
    InterposedStore slow =
        new InterposedStore(registers) {
          @Override
          public WriteResult compareAndSet(String name, long expectedVersion, String value) {
            TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            return super.compareAndSet(name, expectedVersion, value);
          }
        };
    return Snowflake.builder()
        .layout(ONE_WORKER)
        .timeSource(time)
        .lease(LeaseConfig.builder(slow, "orders").build())
        .build();
  }

  private static boolean isHeld(InMemoryRegisterStore registers) {
    return WorkerRecord.parse(registers.read("orders/worker/0").orElseThrow()).held();
  }

  @Test
  void interruptedThreadReleasesTheWorkerAndStaysInterrupted() {
    InMemoryRegisterStore registers = new InMemoryRegisterStore();
    Snowflake snowflake = startOnASlowStore(registers, TimeSource.system());
    Thread.currentThread().interrupt();

    snowflake.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(isHeld(registers)).isFalse();
  }

  @Test
  void closeWaitsForTheStoreByTheClockOfTheKeeper() {
    InMemoryRegisterStore registers = new InMemoryRegisterStore();
    Snowflake snowflake = startOnASlowStore(registers, fleet.time); // parks that take no time

    snowflake.close();

    assertThat(isHeld(registers)).isFalse();
  }

  @Test
  void numbersDrawnPastTheFenceDoNotMoveIt() {
    Member member = fleet.member();
    InterposedStore store =
        new InterposedStore(fleet.store) {
          @Override
          public long closeGenerator() {
            return super.closeGenerator() + 3_600_000; // as if drawn and dropped
          }
        };
    member.start(ONE_WORKER, LeaseConfig.builder(store, "orders").keeper(member.keeper)).close();

    assertThat(fleet.record(0).held()).isFalse();
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(30).toEpochMilli());
  }
}
