package io.firn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.LayoutExpiredException;
import io.firn.Snowflake;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseKeeper;
import io.firn.lease.Namespace;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.WorkerEntry;
import io.firn.store.FaultyStore;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdBlocksTest {

  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  /** Four workers, two of which blocks may have; 64 IDs a millisecond. */
  private static final IdLayout SMALL = IdLayout.of("45t+2w+6s@2026-01-01T00:00:00Z/1ms");

  private static final IdLayout ONE = IdLayout.of("45t+6s@2026-01-01T00:00:00Z/1ms");

  private static final IdLayout SECONDS = IdLayout.of("35t+8s@2026-01-01T00:00:00Z/1s");

  private final FaultyStore store = new FaultyStore();
  private final ManualTimeSource time = new ManualTimeSource(START);

  private IdBlocks blocks() {
    return IdBlocks.builder(store, "orders").timeSource(time).build();
  }

  private IdBlocks small() {
    return IdBlocks.builder(store, "orders").layout(SMALL).timeSource(time).build();
  }

  @Test
  void aBlockBeginsNowOnAWorkerOfTheUpperHalfAndLeavesItFreeFromItsEndOn() {
    IdBlock block = blocks().take(4097);

    assertThat(block.size()).isEqualTo(4097);
    assertThat(block.from()).isEqualTo(START);
    assertThat(block.until()).isEqualTo(START.plusMillis(2));
    assertThat(block.workers()).hasSize(1).allMatch(worker -> worker >= 512 && worker < 1024);
    List<WorkerEntry> workers = Namespace.of(store, "orders").workers();
    assertThat(workers).hasSize(1);
    assertThat(workers.get(0).held()).isFalse();
    assertThat(workers.get(0).fence()).isEqualTo(block.until());
    assertThat(workers.get(0).since()).contains(block.from());
    assertThat(workers.get(0).state(START)).isEqualTo(WorkerEntry.State.BLOCK);
    assertThat(workers.get(0).state(block.until())).isEqualTo(WorkerEntry.State.RELEASED);
  }

  @Test
  void aWorkerIsNoBlockOnceItIsLeasedAgain() {
    IdBlock block = small().take(1);
    time.advance(Duration.ofSeconds(1));
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders")
            .worker(block.workers().get(0))
            .keeper(LeaseKeeper.manual(time))
            .build();

    try (Snowflake leased =
        Snowflake.builder().layout(SMALL).timeSource(time).lease(lease).build()) {
      assertThat(leased.nextId()).isPositive();
      assertThat(onlyWorker().state(Instant.ofEpochMilli(time.currentTimeMillis())))
          .isEqualTo(WorkerEntry.State.HELD);
    }
    WorkerEntry after = onlyWorker();
    assertThat(after.state(after.fence().minusMillis(1))).isEqualTo(WorkerEntry.State.RELEASED);
  }

  private WorkerEntry onlyWorker() {
    List<WorkerEntry> workers = Namespace.of(store, "orders").workers();
    assertThat(workers).hasSize(1);
    return workers.get(0);
  }

  @Test
  void sizesAtTheEdgesOfATickTakeNoTickMoreThanTheyNeed() {
    IdBlocks blocks = blocks();

    assertThat(blocks.take(1).until()).isEqualTo(START.plusMillis(1));
    assertThat(blocks.take(4096).until()).isEqualTo(START.plusMillis(2));
    assertThat(blocks.take(4097).until()).isEqualTo(START.plusMillis(4));
  }

  @Test
  void aLargeBlockSpreadsOverWorkersRatherThanOverMoreThanAMinute() {
    long minute = 60_000L * 4096;
    IdBlocks blocks = blocks();

    IdBlock one = blocks.take(minute);
    assertThat(one.workers()).hasSize(1);
    assertThat(one.until()).isEqualTo(START.plusSeconds(60));
    IdBlock two = blocks.take(minute + 1);
    assertThat(two.workers()).hasSize(2);
    assertThat(two.until()).isEqualTo(START.plusMillis(30_001));
    IdBlock most = blocks.take(64 * minute);
    assertThat(most.workers()).hasSize(64);
    assertThat(most.until()).isEqualTo(START.plusSeconds(60));
    assertThat(blocks.take(1_000_000_000).workers()).hasSize(8);
  }

  @Test
  void whereThereIsOneWorkerGeneratorsWaitForTenSecondsAtMost() {
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(ONE).timeSource(time).build();
    long most = 10_000L * 64;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks.take(most + 1))
        .withMessageEndingWith(
            "(expected: at most " + most + " in layout " + ONE + ", with IDs up to 10s ahead)");
    assertThat(blocks.take(most).until()).isEqualTo(START.plusSeconds(10));
    assertThatThrownBy(() -> blocks.take(1)).isInstanceOf(NoFreeWorkerException.class);
  }

  @Test
  void moreThanAnHourAheadIsRefusedWithTheLargestSize() {
    long hour = 3_600_000L * 64 * 2;
    IdBlocks blocks = small();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks.take(hour + 1))
        .withMessage(
            "size: "
                + (hour + 1)
                + " (expected: at most "
                + hour
                + " in layout "
                + SMALL
                + ", with IDs up to 1h ahead)");
    assertThat(blocks.take(hour).until()).isEqualTo(START.plusSeconds(3600));
    assertThatThrownBy(() -> blocks.take(1))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Namespace orders has no 1 ms of ID time ahead of the clock in 1 of its workers: of"
                + " the 2 read, 1 are free from "
                + START.plusSeconds(3600)
                + " on; ask for fewer IDs, or try again later");
    time.advance(Duration.ofMillis(1));
    assertThat(blocks.take(64).from()).isEqualTo(START.plusSeconds(3600));
  }

  @Test
  void ticksOfTenMillisecondsCountAsSuch() {
    IdLayout slow = IdLayout.of("41t+2w+6s@2026-01-01T00:00:00Z/10ms");
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(slow).timeSource(time).build();
    assertThat(blocks.take(360_000L * 64 * 2).until()).isEqualTo(START.plusSeconds(3600));
    assertThatThrownBy(() -> blocks.take(1))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageStartingWith(
            "Namespace orders has no 10 ms of ID time ahead of the clock in 1 of");
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    for (long size : new long[] {0, -1, IdBlocks.MAX_SIZE + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> blocks().take(size))
          .withMessage("size: " + size + " (expected: 1..1099511627776)");
    }
  }

  @Test
  void blocksThatAreTakenOneAfterAnotherShareNoId() {
    IdBlocks blocks = small();
    IdBlocks others = small();
    Set<Long> ids = new HashSet<>();
    long taken = 0;
    for (int i = 0; i < 200; i++) {
      int size = 1 + i % 130;
      (i % 2 == 0 ? blocks : others).take(size).forEach(ids::add);
      taken += size;
      time.advance(Duration.ofMillis(i % 3));
    }

    assertThat(ids).hasSize((int) taken);
  }

  @Test
  void aWriteThatIsNotKnownToBeAppliedIsAGap() {
    for (Fault fault :
        List.of(Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.LATE, Fault.SENT_TWICE)) {
      IdBlocks blocks = small();
      blocks.take(1);
      store.nextWrites(fault);

      IdBlock block = blocks.take(64);
      store.deliverLate();

      Set<Long> ids = new HashSet<>();
      block.forEach(ids::add);
      small().take(64).forEach(ids::add);
      small().take(64).forEach(ids::add);
      assertThat(ids).as(fault.name()).hasSize(3 * 64);
      time.advance(Duration.ofSeconds(1));
    }
  }

  @Test
  void sixteenWritesWithoutAnOutcomeAreAFailure() {
    IdBlocks blocks = small();
    blocks.take(1);
    Fault[] lost = new Fault[16];
    Arrays.fill(lost, Fault.REQUEST_LOST);
    store.nextWrites(lost);
    assertThatThrownBy(() -> blocks.take(1))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("did not report the outcome of 16 writes");
    assertThat(blocks.take(1).size()).isEqualTo(1);
  }

  @Test
  void aWorkerThatIsTakenBetweenReadAndWriteIsLeftAlone() {
    IdBlocks blocks = small();
    blocks.take(1);
    Set<Long> ids = new HashSet<>();
    store.beforeNextWrite(() -> small().take(128).forEach(ids::add));

    blocks.take(64).forEach(ids::add);

    assertThat(ids).hasSize(192);
  }

  @Test
  void aLeasedWorkerIsLeftAloneUntilTheGraceAfterItsFence() {
    store.put("orders/layout", "firn-namespace/1 layout=" + SMALL);
    for (long worker = 0; worker < 4; worker++) {
      store.put(
          "orders/worker/" + worker,
          "firn-worker/1 state=held fence="
              + START.plusSeconds(30)
              + " windowMillis=30000 holder=a pid=1 token=x");
    }

    assertThatThrownBy(() -> blocks().take(1))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageEndingWith(
            "of the 2 read, 0 are neither leased nor reserved; ask for fewer IDs, or try again later");
    time.advance(Duration.ofSeconds(40));
    assertThat(blocks().take(1).from()).isEqualTo(START.plusSeconds(40));
  }

  @Test
  void atMost1024WorkersAreRead() {
    for (int bits = 10; bits <= 12; bits++) {
      store.forgetAll();
      IdLayout wide = IdLayout.of((51 - bits) + "t+" + bits + "w+12s@2026-01-01T00:00:00Z/1ms");
      for (int worker = 0; worker < 1 << bits; worker++) {
        store.put(
            "orders/worker/" + worker,
            "firn-worker/1 state=held fence="
                + START.plusSeconds(30)
                + " windowMillis=30000 holder=a pid=1 token=x");
      }
      IdBlocks blocks = IdBlocks.builder(store, "orders").layout(wide).timeSource(time).build();

      assertThatThrownBy(() -> blocks.take(1))
          .isInstanceOf(NoFreeWorkerException.class)
          .hasMessageContaining("of the %s read, 0 are", Math.min(1 << (bits - 1), 1024));
    }
  }

  @Test
  void aReservedWorkerIsLeftAlone() {
    small().take(1);
    Namespace namespace = Namespace.of(store, "orders");
    time.advance(Duration.ofMillis(10));
    for (long worker = 2; worker < 4; worker++) {
      namespace.reserve(worker, SMALL, "old Leaf", WorkerEntry.NEVER, false);
    }

    assertThatThrownBy(() -> small().take(1)).isInstanceOf(NoFreeWorkerException.class);
    assertThatThrownBy(() -> small().take(1, START.minusSeconds(60)))
        .isInstanceOf(NoFreeWorkerException.class);
  }

  @Test
  void layoutIsThatOfTheNamespaceAndAnotherIsRefused() {
    assertThat(blocks().layout()).isEqualTo(IdLayout.CLASSIC);
    small().take(1);

    assertThat(blocks().layout()).isEqualTo(SMALL);
    assertThatThrownBy(() -> IdBlocks.builder(store, "orders").layout(IdLayout.CLASSIC).build())
        .isInstanceOf(LayoutMismatchException.class);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                IdBlocks.builder(store, "other")
                    .layout(IdLayout.of("12s+10w+41t@2026-01-01T00:00:00Z/1ms"))
                    .build());
  }

  @Test
  void backfillBeginsWithTheTickOfItsTimeIfNoWorkerWasLeased() {
    IdBlock past = blocks().take(10_000, START.minus(Duration.ofDays(200)));

    assertThat(past.from()).isEqualTo(START.minus(Duration.ofDays(200)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks().take(1, IdLayout.CLASSIC.epoch().minusMillis(1)))
        .withMessage(
            "begin: 2025-12-31T23:59:59.999Z (expected: from 2026-01-01T00:00:00Z to before "
                + IdLayout.CLASSIC.positiveUntil()
                + ", the ends of the layout)");
    assertThatIllegalArgumentException().isThrownBy(() -> blocks().take(1, Instant.MAX));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks().take(4096, START.plusSeconds(3600)))
        .withMessage(
            "begin: " + START.plusSeconds(3600) + " (expected: IDs at most 1h ahead of the clock)");
  }

  @Test
  void backfillGivesNoTimeTwice() {
    IdBlocks blocks = small();
    Instant begin = START.minusSeconds(60);
    Set<Long> ids = new HashSet<>();
    blocks.take(100, begin).forEach(ids::add);
    blocks.take(100, begin).forEach(ids::add);

    assertThat(ids).hasSize(200);
    assertThatThrownBy(() -> blocks.take(100, begin))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageEndingWith(
            "of the 2 read, 1 are free from "
                + begin.plusMillis(2)
                + " on; ask for fewer IDs, or for a later time");
  }

  /** Leases and frees the only worker ID of the layout; returns its fence. */
  private Instant fenceInsideOfATick() {
    time.advance(Duration.ofMillis(300));
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders").keeper(LeaseKeeper.manual(time)).build();
    var unused = Snowflake.builder().layout(SECONDS).lease(lease).timeSource(time).build();
    return Namespace.of(store, "orders").release(0).fence();
  }

  @Test
  void aTickThatAWindowDividesIsNotFree() {
    Instant fence = fenceInsideOfATick();
    time.advance(Duration.ofMinutes(1));
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(SECONDS).timeSource(time).build();

    assertThat(fence).isEqualTo(START.plusMillis(30_300));
    assertThatThrownBy(() -> blocks.take(10, fence.plusMillis(200)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageEndingWith(
            "of the 1 read, 1 are free from "
                + fence
                + " on; ask for fewer IDs, or for a later time");
    assertThat(blocks.take(10, fence.plusSeconds(1)).from()).isEqualTo(START.plusSeconds(31));
  }

  @Test
  void aBlockBeginsWithTheFirstTickPastAFenceInsideOfATick() {
    Instant fence = fenceInsideOfATick();
    time.advance(Duration.ofSeconds(25));
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(SECONDS).timeSource(time).build();

    assertThat(fence).isEqualTo(START.plusMillis(30_300));
    assertThat(blocks.take(10).from()).isEqualTo(START.plusSeconds(31));
  }

  @Test
  void layoutThatEndsIsRefused() {
    IdLayout ended = IdLayout.of("31t+2w+6s@2026-10-07T03:28:36.353Z/1ms");
    IdBlocks blocks = IdBlocks.builder(store, "old").layout(ended).timeSource(time).build();

    assertThatThrownBy(() -> blocks.take(64L * 3_000))
        .isInstanceOf(LayoutExpiredException.class)
        .hasMessage(
            "Layout "
                + ended
                + " ends at 2026-11-01T00:00:00.001Z, and the block would end at "
                + START.plusSeconds(3)
                + "; change to a layout that ends later");
    assertThat(blocks.take(64).until()).isEqualTo(START.plusMillis(1));
  }

  @Test
  void layoutWhoseEpochIsInTheFutureIsRefused() {
    IdLayout early = SMALL.withEpoch(START.plusMillis(1));
    IdBlocks.Builder blocks = IdBlocks.builder(store, "early").layout(early).timeSource(time);

    assertThatIllegalArgumentException()
        .isThrownBy(blocks::build)
        .withMessage(
            "epoch: 2026-11-01T00:00:00.001Z (expected: not in the future, the clock reads"
                + " 2026-11-01T00:00:00Z)");
    time.advance(Duration.ofMillis(1));
    IdBlocks begun = IdBlocks.builder(store, "early").layout(early).timeSource(time).build();
    assertThat(begun.take(1).firstTick()).isZero();
  }

  /** A process whose clock was ahead may have recorded one, and every job of a store is listed. */
  @Test
  void namespaceWhoseEpochIsInTheFutureHasJobsAndGivesNoBlock() {
    IdLayout early = SMALL.withEpoch(START.plusMillis(1));
    store.put("early/layout", "firn-namespace/1 layout=" + early);
    IdBlocks blocks = IdBlocks.builder(store, "early").timeSource(time).build();

    assertThat(blocks.jobs()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks.take(1))
        .withMessageStartingWith("epoch: 2026-11-01T00:00:00.001Z (expected: not in the future");
    time.advance(Duration.ofMillis(1));
    assertThat(blocks.take(1).firstTick()).isZero();
  }

  @Test
  void layoutThatHasEndedIsRefusedUnlessTheNamespaceHasIt() {
    IdLayout ended = IdLayout.of("31t+2w+6s@2026-10-07T03:28:36.353Z/1ms");
    BlockName name = new BlockName("import", "rows", 0, 0);
    IdBlock named =
        IdBlocks.builder(store, "old").layout(ended).timeSource(time).build().named(name, 64);
    time.advance(Duration.ofMillis(1));
    IdBlocks.Builder blocks = IdBlocks.builder(store, "old").layout(ended).timeSource(time);

    assertThatIllegalArgumentException()
        .isThrownBy(blocks::build)
        .withMessage(
            "layout: "
                + ended
                + " (expected: a layout that has not ended; it ended on 2026-11-01T00:00:00.001Z)");
    IdBlocks left = IdBlocks.builder(store, "old").timeSource(time).build();
    assertThat(left.named(name, 64)).isEqualTo(named);
    assertThatThrownBy(() -> left.take(1)).isInstanceOf(LayoutExpiredException.class);
  }

  @Test
  void aSizeWhoseTimeOverflowsIsRefused() {
    IdLayout slow = IdLayout.of("20t+10w+2s@2026-01-01T00:00:00Z/67108864ms");
    IdBlocks blocks =
        IdBlocks.builder(store, "orders")
            .layout(slow)
            .maxAhead(Duration.ofDays(1))
            .timeSource(time)
            .build();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> blocks.take(IdBlocks.MAX_SIZE))
        .withMessageStartingWith("size: 1099511627776 (expected: at most 256 in layout ");
  }

  @Test
  void aStoreThatMayForgetNeedsAnIdentity() {
    blocks().take(1);
    store.thatMayForget();

    assertThatIllegalArgumentException()
        .isThrownBy(this::blocks)
        .withMessage(
            "store: faulty: (expected: one that keeps what it acknowledged, or has an identity,"
                + " for blocks)");
  }

  @Test
  void whereTheStoreMayForgetABlockEndsBeforeNewProcessesBeginIfItForgetsNow() {
    store.withIdentity("a").withClock(time::currentTimeMillis);
    small().take(1);
    store.thatMayForget().withIdentity("b");
    IdBlocks blocks = small();

    assertThatThrownBy(() -> blocks.take(64))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Store faulty: was started, promoted or restored; IDs of namespace orders begin at "
                + START.plusSeconds(60)
                + ", when its settling time ends; try again then");
    time.advance(Duration.ofSeconds(60));
    IdBlock most = blocks.take(64 * 45_000L);
    assertThat(most.until()).isEqualTo(START.plusSeconds(60 + 45));
    assertThatThrownBy(() -> small().take(2 * 64 * 45_001L))
        .isInstanceOf(NoFreeWorkerException.class);

    store.forgetAll();
    store.withIdentity("c");
    assertThatThrownBy(() -> blocks.take(1)).isInstanceOf(NoFreeWorkerException.class);
    time.advance(Duration.ofSeconds(60));
    assertThat(blocks.take(1).from()).isAfterOrEqualTo(most.until());
  }

  /** Whoever creates it decides its settling time, and after a flush that is needed. */
  @Test
  void aNamespaceIsNotCreatedInAStoreThatMayForget() {
    store.thatMayForget().withIdentity("a").withClock(time::currentTimeMillis);

    assertThatIllegalArgumentException()
        .isThrownBy(this::small)
        .withMessage(
            "namespace: orders (expected: a namespace that a generator has used in faulty:,"
                + " which may forget: its first process decides the settling time)");
  }

  @Test
  void theSplitOfTheLeasesBoundsBlocks() {
    store.withIdentity("a").withClock(time::currentTimeMillis);
    small().take(1);
    store.thatMayForget();
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders").maxSplit(Duration.ofSeconds(25)).build();
    IdBlocks blocks = IdBlocks.builder(lease).layout(SMALL).timeSource(time).build();

    assertThat(blocks.take(64 * 30_000L).until()).isEqualTo(START.plusSeconds(30));
    assertThatThrownBy(() -> blocks.take(64 * 30_001L))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Namespace orders has at most 30000 ms of ID time ahead of the clock, where new processes"
                + " begin if store faulty: forgets, and 30001 ms were asked for; ask for fewer IDs");
  }

  /** A block begins with the next tick. */
  @Test
  void aBlockEndsBeforeNewProcessesBeginAlsoWhereItIsAskedForInsideOfATick() {
    IdLayout seconds = IdLayout.of("35t+2w+6s@2026-01-01T00:00:00Z/1s");
    store.withIdentity("a").withClock(time::currentTimeMillis);
    var unused = IdBlocks.builder(store, "orders").layout(seconds).timeSource(time).build().take(1);
    store.thatMayForget();
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders").maxSplit(Duration.ofSeconds(25)).build();
    IdBlocks blocks = IdBlocks.builder(lease).layout(seconds).timeSource(time).build();
    time.advance(Duration.ofMillis(2_500));

    assertThatThrownBy(() -> blocks.take(64 * 30))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining(
            "has at most 29500 ms of ID time ahead of the clock, where new processes begin");
    assertThat(blocks.take(64 * 29).until()).isEqualTo(START.plusSeconds(32));
  }

  @Test
  void aTimeThatARefusalNamesIsTakenWhereTheSettlingTimeEndsInsideOfATick() {
    IdLayout seconds = IdLayout.of("35t+2w+6s@2026-01-01T00:00:00Z/1s");
    time.advance(Duration.ofMillis(500));
    store.withIdentity("a").withClock(time::currentTimeMillis);
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(seconds).timeSource(time).build();
    var unused = blocks.take(1);
    store.withIdentity("b");

    assertThatThrownBy(() -> blocks.take(1, START.plusSeconds(60)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("begin at " + START.plusSeconds(61));
    assertThat(blocks.take(1, START.plusSeconds(61)).from()).isEqualTo(START.plusSeconds(61));
  }

  /** Another process may let a replaced store go on for nearly as long as the settling time. */
  @Test
  void aWorkerWhoseHolderCrashedIsLeftAloneForTheSettlingTime() {
    store.withIdentity("a").withClock(time::currentTimeMillis);
    IdBlocks blocks = IdBlocks.builder(store, "orders").layout(ONE).timeSource(time).build();
    blocks.take(1);
    store.put(
        "orders/worker/0",
        "firn-worker/1 state=held fence="
            + START.plusSeconds(30)
            + " windowMillis=30000 holder=a pid=1 token=x");

    time.advance(Duration.ofSeconds(90).minusMillis(1));
    assertThatThrownBy(() -> blocks.take(1)).isInstanceOf(NoFreeWorkerException.class);
    time.advance(Duration.ofMillis(1));
    assertThat(blocks.take(1).from()).isEqualTo(START.plusSeconds(90));
  }

  /** Those that are free lie among those that are not, over several reads. */
  @Test
  void workersAreGatheredFromTheWholeUpperHalf() {
    IdBlocks blocks = blocks();
    for (int i = 0; i < 7; i++) {
      assertThat(blocks.take(800_000_000_000L).workers()).hasSize(64);
    }

    assertThat(blocks().take(800_000_000_000L).workers()).hasSize(64);
    assertThatThrownBy(() -> blocks().take(800_000_000_000L))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageMatching(".*: of the 512 read, 64 are free from 2026-11-01T00:5.* on; ask .*");
  }

  @Test
  void aWriteUnderAMarkThatHasChangedIsMadeAgainUnderTheNewOne() {
    store.withIdentity("a").withClock(time::currentTimeMillis);
    IdBlocks blocks = small();
    assertThat(blocks.take(1).from()).isEqualTo(START);
    store.beforeNextWrite(() -> store.withIdentity("b"));

    assertThat(blocks.take(1).from()).isEqualTo(START.plusSeconds(60));
    assertThat(store.writes("orders/worker/2") + store.writes("orders/worker/3")).isEqualTo(2);
  }

  @Test
  void aBlocksFenceCannotBeLowered() {
    IdBlock block = blocks().take(4096L * 30_000);
    Namespace namespace = Namespace.of(store, "orders");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> namespace.release(block.workers().get(0), START))
        .withMessage(
            "worker: "
                + block.workers().get(0)
                + " (expected: one without a block of IDs; it has one until "
                + block.until()
                + ", and is free from then on)");
  }

  @Test
  void settingsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IdBlocks.of(store, "no slash/"))
        .withMessage("namespace: no slash/ (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IdBlocks.builder(store, "orders").maxAhead(Duration.ofMillis(999)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IdBlocks.builder(store, "orders").maxAhead(Duration.ofHours(25)));
    assertThat(blocks()).hasToString("blocks of orders in faulty:");
  }
}
