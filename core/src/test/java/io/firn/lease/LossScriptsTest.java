package io.firn.lease;

import static io.firn.lease.Fleet.LAYOUT;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.SETTLE;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.FirnException;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Interleavings, step by step, in which one rule about a store that loses writes decides. Without
 * that rule two processes are granted the same ID times, or one of them stops for no reason. Random
 * runs of the simulation rarely or never come this way.
 */
class LossScriptsTest {

  private final Fleet fleet = new Fleet();
  private Duration storeAhead = Duration.ZERO;

  @BeforeEach
  void giveTheStoreAnIdentity() {
    fleet
        .store
        .withClock(() -> fleet.time.currentTimeMillis() + storeAhead.toMillis())
        .withIdentity("run1");
  }

  private void restart(String identity) {
    fleet.store.withIdentity(identity);
  }

  private void pause(Duration duration) {
    fleet.time.advance(duration);
  }

  // Margin: a holder writes its record again only if its fence is more than maxClockSkew ahead.

  @Test
  void holderWhoseFenceMayHavePassedByAnotherReadingOfTheClockDoesNotWriteItsRecordAgain() {
    Member member = fleet.member();
    Snowflake holder = member.start(ONE_WORKER, member.lease().maxSplit(Duration.ZERO));
    Map<String, Register> before = fleet.store.copy();
    pause(Duration.ofMillis(27_500)); // the holder does not run
    storeAhead = Duration.ofMillis(2_500);
    Member other = fleet.member();
    Snowflake newProcess = other.start(ONE_WORKER, other.lease().maxSplit(Duration.ZERO));
    assertThat(notBefore(newProcess)).isEqualTo(START.plusSeconds(30));

    fleet.store.rollBack(before);
    restart("run2");
    storeAhead = Duration.ofMillis(-2_500);
    member.keeper.runDue();

    assertThat(fence(holder)).isBeforeOrEqualTo(notBefore(newProcess));
  }

  @Test
  void holderWhoseFenceIsFartherAheadThanThatWritesItsRecordAgain() {
    Member member = fleet.member();
    Snowflake holder = member.start(ONE_WORKER, member.lease().maxSplit(Duration.ZERO));
    pause(Duration.ofMillis(27_499));
    restart("run2");
    storeAhead = Duration.ofMillis(-2_500);
    member.keeper.runDue();

    assertThat(notBefore(holder)).isEqualTo(START);
    assertThat(fence(holder)).isEqualTo(START.plusMillis(57_499));
  }

  // Grace: the worker of a holder that is gone is free maxSplit after its fence.

  @Test
  void replacedStoreDoesNotGiveAwayTheWorkerOfAHolderThatTheNewOneKeeps() {
    Member member = fleet.member();
    Snowflake holder = member.start(ONE_WORKER);
    pause(Duration.ofSeconds(22)); // the holder does not run
    Map<String, Register> replaced = fleet.store.copy();
    restart("run2");
    member.keeper.runDue();
    assertThat(notBefore(holder)).isEqualTo(START);
    assertThat(fence(holder)).isEqualTo(START.plusSeconds(52));

    pause(Duration.ofMillis(9_999));
    fleet.store.rollBack(replaced);
    restart("run1");
    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("the next is free at 2026-11-01T00:00:40Z");
  }

  // Lead: no window ends later than the largest lead and a window after the clock.

  @Test
  void renewalDoesNotKeepALeadThatAWindowBeganWith() {
    Snowflake leading = leadingFor(Duration.ofSeconds(46));
    fleet.store.forgetAll();
    restart("run2");
    Snowflake newProcess = settlingShortly(fleet.member(), worker(leading));

    assertThat(notBefore(newProcess).toEpochMilli()).isEqualTo(fleet.mark().settledAtMillis());
    assertThat(fence(leading)).isBeforeOrEqualTo(notBefore(newProcess));
  }

  @Test
  void changeOfWorkersDoesNotKeepALeadThatAWindowBeganWith() {
    Snowflake leading = leadingFor(Duration.ofSeconds(29));
    long left = worker(leading);
    fleet.namespace().release(left);
    fleet.pass(Duration.ofSeconds(17));
    assertThat(worker(leading)).isNotEqualTo(left);
    fleet.store.forgetAll();
    restart("run2");
    Snowflake newProcess = settlingShortly(fleet.member(), worker(leading));

    assertThat(notBefore(newProcess).toEpochMilli()).isEqualTo(fleet.mark().settledAtMillis());
    assertThat(fence(leading)).isBeforeOrEqualTo(notBefore(newProcess));
  }

  /** The settling time is exactly what the process needs. */
  private static Snowflake settlingShortly(Member member, long worker) {
    return member.start(
        TWO_WORKERS, member.lease().worker(worker).settleTime(Duration.ofSeconds(45)));
  }

  /** Starts a generator whose first window begins ahead, and draws all that it may. */
  private Snowflake leadingFor(Duration duration) {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    Snowflake leading =
        member.start(TWO_WORKERS, member.lease().settleTime(Duration.ofSeconds(45)));
    assertThat(notBefore(leading)).isEqualTo(START.plusSeconds(45));
    Instant end = fleet.now().plus(duration);
    while (fleet.now().isBefore(end)) {
      fleet.pass(Duration.ofMillis(500));
      drawAll(leading, new long[500 << 6]);
    }
    return leading;
  }

  private static void drawAll(Snowflake leading, long[] ids) {
    try {
      leading.nextIds(ids, 0, ids.length);
    } catch (FirnException e) {
      assertThat(e).isInstanceOf(LeaseExpiredException.class); // the window is used up
    }
  }

  // What bars a holder from writing its record again.

  @Test
  void holderStopsWhereAnotherBeganInItsWindowAlsoUnderANewMark() {
    Map<String, Register> empty = emptyNamespace();
    Member member = fleet.member();
    Snowflake holder = member.start(ONE_WORKER);
    pause(Duration.ofSeconds(5));
    fleet.store.rollBack(empty); // and shows nothing of it
    Snowflake other = fleet.member().start(ONE_WORKER);
    assertThat(notBefore(other)).isEqualTo(START.plusSeconds(5));
    restart("run2");
    pause(Duration.ofSeconds(10));
    member.keeper.runDue();

    assertThat(fleet.record(0).holder()).isEqualTo("host-2");
    assertThat(fence(holder)).isBefore(notBefore(other));
    assertThatThrownBy(holder::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  private Map<String, Register> emptyNamespace() {
    Snowflake first = fleet.member().start(ONE_WORKER);
    first.close();
    Map<String, Register> registers = fleet.store.copy();
    return Map.of(LAYOUT, registers.get(LAYOUT));
  }

  /**
   * Losses that are closer than the settling time are not promised to be borne: it stops at once.
   */
  @Test
  void holderThatLeadsPastWhereNewProcessesBeginStops() {
    fleet.store.thatMayForget();
    Snowflake holder = fleet.member().start(ONE_WORKER);
    assertThat(fence(holder)).isEqualTo(START.plusSeconds(90));
    pause(Duration.ofSeconds(10));
    fleet.store.forgetAll();
    restart("run2");
    fleet.pass(Duration.ofSeconds(10));

    assertThat(fleet.mark().settledAtMillis()).isLessThan(START.plusSeconds(90).toEpochMilli());
    assertThat(notBefore(holder).toEpochMilli()).isEqualTo(fleet.mark().settledAtMillis());
  }

  @Test
  void holderThatFindsASuccessorTakesItForNoLoss() {
    Member member = fleet.member();
    Snowflake holder = member.start(ONE_WORKER, member.lease().maxSplit(Duration.ZERO));
    pause(Duration.ofMillis(27_500)); // the holder does not run
    storeAhead = Duration.ofMillis(2_500);
    Member other = fleet.member();
    Snowflake successor = other.start(ONE_WORKER, other.lease().maxSplit(Duration.ZERO));
    assertThat(notBefore(successor)).isEqualTo(fence(holder));
    String nonce = fleet.mark().nonce();
    member.keeper.runDue();

    assertThat(fleet.record(0).holder()).isEqualTo("host-1");
    fleet.pass(Duration.ofSeconds(1));
    assertThat(fleet.mark().nonce()).isEqualTo(nonce);
  }

  @Test
  void holderWritesItsRecordAgainOverAnOlderOneOfItsOwn() {
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    long worker = worker(holder);
    fleet.pass(Duration.ofSeconds(70));
    Map<String, Register> before = fleet.store.copy();
    Instant older = fence(holder);
    fleet.pass(Duration.ofSeconds(20));
    assertThat(fence(holder)).isAfter(older);
    fleet.store.rollBack(before);
    restart("run2");
    fleet.pass(Duration.ofSeconds(15));

    assertThat(worker(holder)).isEqualTo(worker);
    assertThat(notBefore(holder)).isEqualTo(START);
    assertThat(fleet.record(worker).fenceMillis()).isEqualTo(fence(holder).toEpochMilli());
  }

  // Losses that are closer than the settling time, where new processes wait.

  @Test
  void newProcessThatWaitsWaitsAgainAfterTheNextLoss() {
    fleet.store.thatMayForget();
    Member member = fleet.member();
    member.atNextPark(
        () -> {
          pause(Duration.ofSeconds(40));
          fleet.store.forgetAll();
          restart("run2");
        });
    Snowflake newProcess = member.start(ONE_WORKER, member.lease().afterLoss(AfterLoss.WAIT));

    assertThat(fleet.now()).isAfterOrEqualTo(START.plusSeconds(100));
    assertThat(notBefore(newProcess)).isAfterOrEqualTo(START.plusSeconds(100));
    assertThat(fleet.mark().settledAtMillis()).isLessThanOrEqualTo(fleet.time.currentTimeMillis());
  }

  /** The register of the block is lost, and the holder of before writes its record again. */
  @Test
  void blockWaitsForTheSettlingTimeSoThatALossBeforeItsTimesGivesThemToNoHolder() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1).afterLoss(AfterLoss.WAIT));
    fleet.store.thatMayForget();
    IdBlocks blocks =
        IdBlocks.builder(WorkerTimes.defaultLease(fleet.store, Fleet.NAMESPACE))
            .timeSource(fleet.member())
            .build();
    pause(Duration.ofSeconds(14)); // the holder does not run
    fleet.store.forgetAll();
    restart("run2");
    Instant settled = START.plusSeconds(74);

    for (Duration pause : List.of(Duration.ZERO, Duration.ofMillis(59_999))) {
      pause(pause);
      assertThatThrownBy(() -> blocks.take(1))
          .isInstanceOf(NoFreeWorkerException.class)
          .hasMessage(
              "Store faulty: was started, promoted or restored; IDs of namespace orders begin at "
                  + settled
                  + ", when its settling time ends; try again then");
      assertThatThrownBy(() -> blocks.take(1, settled))
          .isInstanceOf(NoFreeWorkerException.class)
          .hasMessageEndingWith("when its settling time ends; try again then");
    }
    pause(Duration.ofMillis(1));
    assertThat(blocks.take(1).from()).isEqualTo(settled);
  }

  @Test
  void newProcessThatWaitsWaitsAlsoIfTheLossComesBehindItsWrite() {
    Member first = fleet.member();
    first.start(ONE_WORKER, first.lease().afterLoss(AfterLoss.WAIT)).close();
    pause(Duration.ofSeconds(100));
    fleet.store.beforeNextWrite(() -> restart("run2"));
    fleet.store.nextWrites(Fault.REQUEST_LOST);
    Member later = fleet.member();
    Snowflake newProcess = later.start(ONE_WORKER, later.lease().afterLoss(AfterLoss.WAIT));

    assertThat(fleet.now()).isEqualTo(START.plusSeconds(160));
    assertThat(notBefore(newProcess)).isEqualTo(START.plusSeconds(160));
  }

  // The mark.

  @Test
  void windowIsNotConfirmedUnderAnotherMarkThanItWasChosenUnder() {
    fleet.member().start(ONE_WORKER).close();
    pause(Duration.ofSeconds(100));
    fleet.store.nextWrites(Fault.REPLY_LOST);
    fleet.store.beforeNextRead(() -> fleet.store.beforeNextRead(() -> restart("run2")));
    Snowflake newProcess = fleet.member().start(ONE_WORKER);

    assertThat(fleet.mark().identity()).isEqualTo("run2");
    assertThat(notBefore(newProcess)).isEqualTo(START.plusSeconds(160));
  }

  /** A process stops before it writes the mark; meanwhile the store is used, and lost. */
  @Test
  void timeOfAMarkIsReadAfterItsFirstStepWasWritten() {
    fleet.store.thatMayForget();
    fleet.store.beforeNextWrite(
        () -> {
          Snowflake holder = fleet.member().start(ONE_WORKER);
          fleet.pass(Duration.ofSeconds(100));
          assertThat(fence(holder)).isAfter(fleet.now());
          fleet.store.forgetAll();
        });
    Snowflake newProcess = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(newProcess)).isEqualTo(START.plusSeconds(160));
  }

  @Test
  void namespaceThatAProcessHasSeenIsNotNewAlsoInAStoreThatIsDeclaredToKeep() {
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(1));
    fleet.store.forgetAll();
    fleet.pass(Duration.ofSeconds(15));
    Snowflake newProcess = fleet.member().start(TWO_WORKERS);

    assertThat(notBefore(holder)).isEqualTo(START);
    assertThat(fleet.mark().sinceMillis()).hasValue(START.plusSeconds(15).toEpochMilli());
    assertThat(notBefore(newProcess)).isEqualTo(START.plusSeconds(15).plus(SETTLE));
  }

  /** A server that takes over may have a clock that is behind, within the skew. */
  @Test
  void workerIsReleasedUnderAMarkThatIsOlderBecauseTheClockIsBehind() {
    Snowflake holder = fleet.member().start(ONE_WORKER);
    restart("run2");
    fleet.pass(Duration.ofSeconds(16));
    assertThat(fleet.mark().sinceMillis()).hasValue(START.plusSeconds(15).toEpochMilli());
    restart("run3");
    storeAhead = Duration.ofSeconds(-4);
    holder.close();

    assertThat(fleet.mark().sinceMillis()).hasValue(START.plusSeconds(12).toEpochMilli());
    assertThat(fleet.record(0).held()).isFalse();
  }
}
