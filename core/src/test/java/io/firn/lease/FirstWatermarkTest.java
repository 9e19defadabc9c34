package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static io.firn.store.FaultyStore.Fault.REQUEST_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first watermark of a namespace whose generators have used scopes before. */
class FirstWatermarkTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  @Test
  void firstWatermarkWaitsForCommitsOfHoldersThatWereReplacedWithoutAGrace() {
    Snowflake writer = fleet.member().start(ONE_WORKER);
    IdScope scope = writer.scope();
    long id = scope.nextId();
    fleet.pass(Duration.ofSeconds(10));
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(10));
    scope.beforeCommit(); // the commit is sent now, and applied within the grace after the fence
    fleet.time.advance(Duration.ofSeconds(10)); // the process is stopped
    fleet.store.comeBack();
    Snowflake next = fleet.member().start(ONE_WORKER);
    assertThat(worker(next)).isEqualTo(worker(writer));

    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.member()).build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(9));
    assertThat(watermark.current().id()).as("9 s later").isLessThan(id);
    fleet.pass(Duration.ofSeconds(30));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }

  @Test
  void firstWatermarkWaitsForCommitsOfAHolderWhoseWorkerWasReserved() {
    IdScope scope = fleet.member().start(ONE_WORKER).scope();
    long id = scope.nextId();
    fleet.time.advance(Duration.ofSeconds(24));
    scope.beforeCommit();
    fleet.time.advance(Duration.ofSeconds(11)); // the process is stopped, its fence was at 30 s
    var unused = fleet.namespace().reserve(0, ONE_WORKER, "old Leaf", WorkerEntry.NEVER, false);

    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE)
            .timeSource(fleet.member())
            .leaveOutReserved()
            .build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(10));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }

  @Test
  void firstWatermarkDoesNotWaitForBlocks() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(0)).scope().close();
    Watermark watermark = Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.time).build();
    IdBlocks blocks = blocks();
    for (int i = 0; i < 3; i++) {
      blocks.take(1);
      assertThat(watermark.current().before()).isBefore(Fleet.START);
      fleet.pass(Duration.ofSeconds(4));
    }
    assertThat(watermark.current().before()).isAfterOrEqualTo(Fleet.START);
  }

  /** The record of the block is the only one that the worker still has. */
  @Test
  void firstWatermarkWaitsForCommitsOfAHolderThatWasReplacedBeforeABlock() {
    long id = commitAtTheEnd();
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1)).close();
    IdBlocks blocks = blocks();
    assertThat(blocks.take(1).workers()).containsExactly(1L);
    blocks.take(1); // in place of the first one

    Watermark watermark = Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.time).build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(9));
    assertThat(watermark.current().id()).as("9 s later").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(1));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }

  /** Its window begins where the block ends, which is ahead of the clock, and it draws no ID. */
  @Test
  void firstWatermarkWaitsForCommitsOfAHolderThatWasReplacedBeforeABlockAndAnUnusedLease() {
    long id = commitAtTheEnd();
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1)).close();
    blocks().take(64_000); // a second
    Member unused = fleet.member();
    unused.start(TWO_WORKERS, unused.lease().worker(1)).close();
    fleet.time.advance(Duration.ofSeconds(1));

    Watermark watermark = Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.time).build();
    assertThat(watermark.current().id()).isLessThan(id);
  }

  @Test
  void firstWatermarkWaitsForALongerGraceThanABlockThatTookTheWorkerOver() {
    long id = commitAtTheEnd();
    fleet.time.advance(Duration.ofSeconds(10));
    assertThat(blocks().take(1, Fleet.START.plusSeconds(30)).workers()).containsExactly(1L);

    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE)
            .grace(Duration.ofMinutes(1))
            .timeSource(fleet.time)
            .build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(49));
    assertThat(watermark.current().id()).as("60 s after the fence").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(1));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }

  /** Stops a process that has sent a commit, until its fence, and returns the ID. */
  private long commitAtTheEnd() {
    Member member = fleet.member();
    IdScope scope = member.start(TWO_WORKERS, member.lease().worker(1)).scope();
    long id = scope.nextId();
    fleet.time.advance(Duration.ofSeconds(24));
    scope.beforeCommit(); // the commit is sent now, and applied within the grace after the fence
    fleet.time.advance(Duration.ofSeconds(6));
    return id;
  }

  @Test
  void blockTakesTheWorkerOfACrashedProcessAfterTheGrace() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1));
    IdBlocks blocks = blocks();
    fleet.time.advance(Duration.ofMillis(39_999)); // the fence was at 30 s
    assertThatThrownBy(() -> blocks.take(1)).isInstanceOf(NoFreeWorkerException.class);
    fleet.time.advance(Duration.ofMillis(1));
    assertThat(blocks.take(1).workers()).containsExactly(1L);
  }

  @Test
  void blockEndsTheGuardOfACrashedProcess() {
    String guard = startGuarded();
    IdBlocks blocks = blocks();
    fleet.store.nextWrites(REQUEST_LOST, REQUEST_LOST, REQUEST_LOST, REQUEST_LOST);
    assertThatThrownBy(() -> blocks.take(1)).isInstanceOf(NoFreeWorkerException.class);
    blocks.take(1);
    assertThat(isOpen(guard)).isFalse();
  }

  @Test
  void reservationEndsTheGuardOfACrashedProcess() {
    String guard = startGuarded();
    Namespace namespace = fleet.namespace();
    fleet.store.nextWrites(REQUEST_LOST, REQUEST_LOST, REQUEST_LOST, REQUEST_LOST);
    assertThatThrownBy(
            () -> namespace.reserve(1, TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Worker 1 of orders has a transaction that is about to commit");
    var unused = namespace.reserve(1, TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false);
    assertThat(isOpen(guard)).isFalse();
  }

  @Test
  void releaseEndsTheGuardOfACrashedProcess() {
    String guard = startGuarded();
    Namespace namespace = fleet.namespace();
    fleet.store.nextWrites(REQUEST_LOST, REQUEST_LOST, REQUEST_LOST, REQUEST_LOST);
    assertThatThrownBy(() -> namespace.release(1))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Worker 1 of orders has a transaction that is about to commit");
    var unused = namespace.release(1);
    assertThat(isOpen(guard)).isFalse();
  }

  /** Its record no longer has its low mark, so readers do not wait for its IDs. */
  @Test
  void holderWithScopesThatLosesItsWorkerStopsAtOnce() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.scope().close();
    takeAway();
    fleet.pass(Duration.ofSeconds(15));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void holderInANamespaceWithAWatermarkThatLosesItsWorkerStopsAtOnce() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.time).build().current();
    fleet.pass(Duration.ofSeconds(61)); // the fourth renewal looks for the floor
    takeAway();
    fleet.pass(Duration.ofSeconds(15));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  /** Lets another process have the worker from the fence on. */
  private void takeAway() {
    Register register = fleet.store.read(fleet.register(0)).orElseThrow();
    Instant fence = Instant.ofEpochMilli(WorkerRecord.parse(register).fenceMillis());
    String text =
        "firn-worker/1 state=held fence="
            + fence.plusSeconds(60)
            + " since="
            + fence
            + " windowMillis=30000 holder=thief pid=1 token=x";
    var unused = fleet.store.compareAndSet(register.name(), register.version(), text);
  }

  /** Starts a process whose commits have a guard, stops it, and returns the name of the guard. */
  private String startGuarded() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1));
    Register register = fleet.store.read(fleet.register(1)).orElseThrow();
    WorkerRecord held = WorkerRecord.parse(register);
    NamespaceRegisters registers = fleet.namespace().registers();
    var unusedGuard = new GuardProtocol(registers, fleet.time).open(1, held.token());
    var unusedWrite =
        fleet.store.compareAndSet(register.name(), register.version(), held.withGuard(true).text());
    fleet.time.advance(Duration.ofSeconds(40));
    return registers.guardRegister(1);
  }

  private boolean isOpen(String guard) {
    return GuardRecord.parse(fleet.store.read(guard).orElseThrow()).open();
  }

  private IdBlocks blocks() {
    return IdBlocks.builder(fleet.member().lease().build())
        .layout(TWO_WORKERS)
        .timeSource(fleet.time)
        .outsideWatermark()
        .build();
  }
}
