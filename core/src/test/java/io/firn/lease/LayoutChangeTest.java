package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.GeneratorClosedException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.SnowflakeHandle;
import io.firn.WorkerSet;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.lease.LayoutChange.Plan;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.StoreException;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A namespace changes its layout while its processes run. */
class LayoutChangeTest extends ChangingNamespace {

  @Test
  void processWithBothLayoutsGoesOverWithoutAGap() {
    Member member = fleet.member();
    Snowflake snowflake = startBoth(member);
    long worker = worker(snowflake);
    Plan plan = change();
    assertThat(plan).isEqualTo(new Plan(OLD, NEW, AT, true, true));
    assertThat(fleet.store.value("orders/layout"))
        .startsWith("firn-namespace/4 layout=" + OLD + " next=" + NEW + " from=" + AT)
        .contains(" state=fixed ");

    passUntil(AT.minusSeconds(1));
    Set<Long> ids = new HashSet<>();
    long last = -1;
    boolean goneOver = false;
    for (int i = 0; i < 2_000; i++) {
      long id = Fleet.nextAfter(snowflake, last);
      checkTimes(id);
      assertThat(ids.add(id)).isTrue();
      goneOver |= isNew(id);
      assertThat(isNew(id)).isEqualTo(goneOver);
      last = id;
      if (i % 2 == 0) {
        fleet.pass(Duration.ofMillis(1));
      }
    }
    assertThat(goneOver).isTrue();
    assertThat(snowflake.layout()).isEqualTo(NEW);
    assertThat(snowflake.stats().issued()).isEqualTo(2_000);
    if (worker < NEW.workers()) {
      assertThat(worker(snowflake)).isEqualTo(worker);
    }
    assertThat(fleet.record(worker(snowflake)).layout()).isEqualTo(NEW.toString());

    passUntil(AT.plusSeconds(300));
    checkTimes(snowflake.nextId());
    snowflake.close();
    assertThat(fleet.record(worker(snowflake)).held()).isFalse();
  }

  @Test
  void workerThatTheNewLayoutHasIsKept() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(OLD, member.lease().worker(3)).nextLayout(NEW).build();
    change();
    passUntil(AT.minusSeconds(1));
    assertThat(fleet.record(3).layout()).isEqualTo(NEW.toString());
    assertThat(isNew(snowflake.nextId())).isFalse();
    passUntil(AT.plusSeconds(1));
    assertThat(NEW.parse(snowflake.nextId()).worker()).isEqualTo(3);
  }

  @Test
  void workerThatTheNewLayoutLacksIsReplaced() {
    Member member = fleet.member();
    Snowflake snowflake = startOn(member, 999); // not pinned: a pinned one would have to stop
    change();
    passUntil(AT.plusSeconds(1));
    long id = snowflake.nextId();
    checkTimes(id);
    assertThat(isNew(id)).isTrue();
    assertThat(worker(snowflake)).isLessThan(NEW.workers());
  }

  @Test
  void callThatWaitsForAnotherWorkerContinuesAfterTheSwitchOfLayout() {
    Member member = fleet.member();
    Snowflake snowflake = startOn(member, 999);
    change();
    passUntil(AT.minusMillis(200));
    fleet.time.advance(Duration.ofMillis(300));
    long[] other = new long[1];
    member.atNextPark(
        () -> {
          fleet.pass(Duration.ofSeconds(1));
          other[0] = snowflake.nextId();
        });

    long id = snowflake.nextId();

    assertThat(isNew(other[0])).isTrue();
    assertThat(isNew(id)).isTrue();
    assertThat(id).isGreaterThan(other[0]);
    snowflake.close();
    assertThatThrownBy(snowflake::nextId).isInstanceOf(GeneratorClosedException.class);
    assertThatThrownBy(snowflake::scope).isInstanceOf(GeneratorClosedException.class);
  }

  @Test
  void processWithTheOldLayoutAloneStopsAndSaysWhatToDo() {
    Snowflake old = fleet.member().start(OLD);
    change();
    passUntil(AT.minusMillis(2));
    checkTimes(old.nextId());
    assertThat(fleet.record(worker(old)).fenceMillis()).isEqualTo(AT.toEpochMilli());
    fleet.pass(Duration.ofMillis(200));
    assertThatThrownBy(old::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining(
            "Namespace orders has layout "
                + NEW
                + " since "
                + AT
                + ", and this process has layout "
                + OLD
                + "; start it with the namespace's layout");
    assertThatThrownBy(() -> fleet.member().start(OLD))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessageContaining("; start it with the namespace's layout");
    old.close();
  }

  @Test
  void processWithTheNewLayoutAloneWaitsForTheChange() {
    Snowflake old = fleet.member().start(OLD);
    change();
    assertThatThrownBy(() -> fleet.member().start(NEW))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "Namespace orders has layout "
                + OLD
                + " until "
                + AT
                + " and then changes to layout "
                + NEW
                + "; start this process then, or with both layouts");
    passUntil(AT.minusSeconds(20));
    checkTimes(old.nextId());
    Snowflake waited = fleet.member().start(NEW);
    assertThat(fleet.now()).isAfterOrEqualTo(AT);
    checkTimes(waited.nextId());
    Snowflake both = startBoth(fleet.member());
    assertThat(both.layout()).isEqualTo(NEW);
    checkTimes(both.nextId());
  }

  @Test
  void processesOfBothLayoutsRunSideBySide() {
    List<Snowflake> fleetOfAll = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Member member = fleet.member();
      fleetOfAll.add(i % 3 == 0 ? member.start(OLD) : startBoth(member));
    }
    change();
    passUntil(AT.minusSeconds(30));
    Set<Long> ids = new HashSet<>();
    int refused = 0;
    for (int i = 0; i < 300; i++) {
      for (Snowflake snowflake : fleetOfAll) {
        try {
          long id = snowflake.nextId();
          checkTimes(id);
          assertThat(ids.add(id)).isTrue();
        } catch (LeaseExpiredException e) {
          refused++;
        }
      }
      fleet.pass(Duration.ofMillis(200));
      if (i == 200) {
        fleetOfAll.add(fleet.member().start(NEW));
      }
    }
    assertThat(refused).isPositive();
    assertThat(ids.stream().filter(ChangingNamespace::isNew).count()).isGreaterThan(1_000);
  }

  @Test
  void pausedHolderIssuesNothingPastTheChange() {
    Member paused = fleet.member();
    Snowflake old = startBoth(paused);
    passUntil(AT.minusSeconds(40));
    change();
    old.close();
    // A holder whose last window was granted before the change was known is bounded by its fence.
    Snowflake blind = startBoth(fleet.member());
    checkTimes(blind.nextId());
    passUntil(AT.plusSeconds(5));
    for (int i = 0; i < 100; i++) {
      checkTimes(blind.nextId());
    }
  }

  @Test
  void renewalDuringAProposalEndsThereAndGoesOverOnlyOnceItIsFixed() {
    Snowflake both = startBoth(fleet.member());
    propose(AT);
    passUntil(AT.minusMillis(2));
    checkTimes(both.nextId());
    assertThat(Fleet.fence(both)).isEqualTo(AT);
    fleet.pass(Duration.ofMillis(100));
    assertThatThrownBy(both::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining(
            "The change of namespace orders to layout "
                + NEW
                + " at "
                + AT
                + " was not completed; firn layout change completes it");
    List<WorkerEntry> before = fleet.namespace().workers();
    assertThatThrownBy(() -> fleet.member().start(NEW))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessageStartingWith("The change of namespace orders to layout ");
    assertThat(fleet.namespace().workers()).isEqualTo(before);
    // The tool that stopped between the steps is run again, with a later time.
    Instant later = fleet.now().plusSeconds(60);
    change.apply(NEW, later, false);
    fleet.pass(Duration.ofSeconds(5));
    assertThat(isNew(both.nextId())).isFalse();
    passUntil(later.plusSeconds(1));
    long id = both.nextId();
    assertThat(isNew(id)).isTrue();
    assertThat(NEW.parse(id).instant()).isAfterOrEqualTo(later);
  }

  @Test
  void acquirerBetweenTheStepsEndsAtTheChange() {
    var unused = fleet.member().start(OLD);
    passUntil(AT.minusSeconds(10));
    Snowflake[] between = new Snowflake[1];
    Member member = fleet.member();
    // The proposal is written after this process has read the register of the namespace.
    fleet.store.beforeNextWrite(() -> propose(AT));
    between[0] = member.start(OLD);
    assertThat(Fleet.fence(between[0])).isEqualTo(AT);
    assertThat(fleet.record(worker(between[0])).fenceMillis()).isGreaterThan(AT.toEpochMilli());
    assertThatThrownBy(() -> change.apply(NEW, AT, false))
        .hasMessageContaining("or later, worker " + worker(between[0]));
  }

  @Test
  void acquirerOfTheNewLayoutReadsAgainThatTheChangeIsFixed() {
    var unused = startBoth(fleet.member());
    change();
    passUntil(AT.plusSeconds(1));
    // The change is called off after this process has read that it is fixed.
    fleet.store.beforeNextWrite(() -> leave(AT, Layouts.State.RECALLED));
    Member late = fleet.member();
    assertThatThrownBy(() -> late.start(NEW, late.lease().worker(9)))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessageStartingWith("The change of namespace orders to layout ");
    assertThat(fleet.record(9).held()).isFalse();
  }

  @Test
  void renewalThatCannotReadTheNamespaceIsNotUsed() {
    Snowflake old = fleet.member().start(OLD);
    Instant fence = Fleet.fence(old);
    fleet.store.nextWrites(Fault.APPLIED);
    // The renewal is applied, and the store goes down before the register is read.
    Runnable down =
        () ->
            fleet.store.beforeNextRead(
                () -> {
                  throw new StoreException("down");
                });
    fleet.store.beforeNextWrite(down);
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.record(worker(old)).fenceMillis()).isGreaterThan(fence.toEpochMilli());
    assertThat(Fleet.fence(old)).isEqualTo(fence);
    fleet.pass(Duration.ofSeconds(3));
    assertThat(Fleet.fence(old)).isAfter(fence);
  }

  @Test
  void blocksEndAtTheChangeAndBeginThere() {
    var unused = fleet.member().start(OLD);
    IdBlocks blocks = blocks(OLD);
    change();
    passUntil(AT.minusSeconds(2));
    assertThatThrownBy(() -> blocks.take(8 * 60_000L * 30))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("Namespace orders changes its layout at " + AT + ", and ");
    IdBlock last = blocks.take(100);
    checkTimes(last.last());
    passUntil(AT.plusSeconds(1));
    assertThatThrownBy(() -> blocks.take(100)).isInstanceOf(LayoutMismatchException.class);
    IdBlocks after =
        IdBlocks.builder(LeaseConfig.builder(fleet.store, "orders").build())
            .timeSource(fleet.time)
            .layout(NEW)
            .build();
    IdBlock first = after.take(100);
    checkTimes(first.first());
    assertThatThrownBy(() -> after.take(100, AT.minusSeconds(5)))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("Namespace orders has its layout since " + AT + ", and IDs from ");
  }

  /** It was only checked for whole ticks past the change that no layout can issue the same ID. */
  @Test
  void blockDoesNotBeginInATickThatTheChangeDivides() {
    IdLayout old = IdLayout.of("40t+2w+11s@2026-01-01T00:00:00Z/1ms");
    Instant epoch = AT.minusMillis(10 * Duration.between(old.epoch(), AT).toMillis() - 4);
    IdLayout next = IdLayout.of("40t+1w+12s@" + epoch + "/10ms");
    Member member = fleet.member();
    Snowflake last = member.start(old, member.lease().worker(3));
    var unused = change.apply(next, AT, false);
    passUntil(AT.minusMillis(1));
    long id = last.nextId();
    passUntil(AT.plusSeconds(1));
    IdBlocks blocks = blocks(next);
    assertThatThrownBy(() -> assertThat(ids(blocks.take(4096, AT))).doesNotContain(id))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("has its layout since " + AT);
    assertThat(ids(blocks.take(4096, AT.plus(next.tick())))).doesNotContain(id);
  }

  private static List<Long> ids(IdBlock block) {
    List<Long> ids = new ArrayList<>();
    block.forEach(ids::add);
    return ids;
  }

  @Test
  void blockWhoseLastTickTheChangeDividesIsRefused() {
    IdLayout old = IdLayout.of("40t+2w+11s@2026-01-01T00:00:00Z/10ms");
    var unused = fleet.member().start(old);
    var unusedPlan = change.apply(NEW, AT, false);
    passUntil(AT.minusMillis(5_002));
    assertThatThrownBy(() -> blocks(old).take(2048 * 500)) // five seconds of one worker
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("changes its layout at " + AT);
  }

  @Test
  void blockThatReachesPastAChangeIsAGap() {
    var unused = fleet.member().start(OLD);
    IdBlocks blocks = blocks(OLD);
    passUntil(AT.minusSeconds(2));
    fleet.store.beforeNextWrite(() -> propose(AT));
    assertThatThrownBy(() -> blocks.take(8 * 10_000)) // ten seconds of one worker
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("changes its layout at " + AT);
  }

  @Test
  void namespaceWithAWatermarkIsNotChangedAndOneThatChangesHasNone() {
    Snowflake both = startBoth(fleet.member());
    Watermark watermark = fleet.watermark();
    change();
    assertThatThrownBy(watermark::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Namespace orders changes to layout " + NEW + " at " + AT)
        .hasMessageContaining("; ask for its watermark after that");
    passUntil(AT.plusSeconds(1));
    checkTimes(both.nextId());
    assertThat(watermark.current().id()).isZero();
    fleet.pass(Duration.ofSeconds(60)); // the holders of the old layout are declared dead
    var unused = watermark.current();
    fleet.pass(Duration.ofSeconds(60));
    assertThat(watermark.current().id()).isPositive();
    assertThatThrownBy(() -> change.check(IdLayout.CLASSIC, fleet.now().plusSeconds(900), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has a watermark, whose readers take IDs for growing");
  }

  @Test
  void oneWrongReadingDoesNotEndALayout() {
    Member member = fleet.member();
    Snowflake both = member.start(member.builder(OLD, member.lease().worker(3)).nextLayout(NEW));
    change();
    passUntil(AT.minusSeconds(1));
    long before = both.nextId();
    for (Runnable call : List.<Runnable>of(both::layout, both::stats, () -> both.scope().close())) {
      member.wrongOnce(0, Duration.ofDays(1));
      call.run();
      assertThat(both.layout()).isEqualTo(OLD);
      assertThat(isNew(both.nextId())).isFalse();
    }
    assertThat(both.nextId()).isGreaterThan(before);
  }

  @Test
  void handlesAndBatchesSwitch() {
    Snowflake both = startBoth(fleet.member());
    SnowflakeHandle handle = both.newHandle();
    change();
    passUntil(AT.minusSeconds(1));
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 400; i++) {
      ids.add(handle.nextId());
      long[] batch = new long[5];
      both.nextIds(batch, 0, 5);
      for (long id : batch) {
        ids.add(id);
      }
      int more = both.tryNextIds(batch, 0, 5);
      for (int k = 0; k < more; k++) {
        ids.add(batch[k]);
      }
      if (more < 5) {
        ids.add(-1L - ids.size());
      }
      fleet.pass(Duration.ofMillis(5));
    }
    ids.stream().filter(id -> id >= 0).forEach(ChangingNamespace::checkTimes);
    assertThat(ids.stream().filter(id -> id >= 0 && isNew(id)).count()).isGreaterThan(500);
    assertThat(isNew(handle.nextId())).isTrue();
  }

  @Test
  void storeWithAnIdentityNeedsNoReadMore() {
    fleet.store.withIdentity("run-1");
    Snowflake both = startBoth(fleet.member());
    fleet.pass(Duration.ofSeconds(20));
    long calls = fleet.store.calls();
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.store.calls() - calls).isLessThanOrEqualTo(2);
    passUntil(START.plusSeconds(120)); // settled
    change();
    passUntil(AT.plusSeconds(1));
    checkTimes(both.nextId());
    assertThat(isNew(both.nextId())).isTrue();
    assertThat(fleet.store.value("orders/layout"))
        .startsWith("firn-namespace/4 ")
        .contains(" settleMillis=", " mark=");
  }

  /** The window of another worker, which was leased in the last tick before the change. */
  @Test
  void callWaitsForTheChangeIfNoTickIsLeftBeforeIt() {
    IdLayout seconds = IdLayout.of("35t+10w+8s@2026-01-01T00:00:00Z/1s");
    Instant at = START.plusSeconds(3600);
    Member member = fleet.member();
    AtomicLong readings = new AtomicLong();
    TimeSource time =
        new ForwardingTimeSource(member) {
          @Override
          public long currentTimeMillis() {
            if (readings.incrementAndGet() > 100_000) {
              throw new IllegalStateException("reads the clock again and again");
            }
            return super.currentTimeMillis();
          }
        };
    LeaseConfig lease = member.lease().worker(3).build();
    Snowflake both =
        member.start(
            Snowflake.builder().layout(seconds).nextLayout(NEW).lease(lease).timeSource(time));
    var unused = change.apply(NEW, at, false);
    passUntil(at.minusSeconds(60));
    assertThat(isNew(both.nextId())).isFalse();
    fleet.time.advance(Duration.ofMillis(59_500));
    fleet.pass(Duration.ofMillis(400));
    assertThat(both.leaseStatus().orElseThrow().notBefore()).isEqualTo(at);
    readings.set(0);
    assertThat(NEW.parse(both.nextId()).instant()).isAfterOrEqualTo(at);
  }

  @Test
  void nextLayoutIsCheckedWhenBuilt() {
    Member member = fleet.member();
    assertThatThrownBy(() -> member.builder(OLD, member.lease()).nextLayout(OLD).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("nextLayout: " + OLD + " (expected: another one than the layout)");
    assertThatThrownBy(() -> Snowflake.builder().worker(1).nextLayout(NEW).build())
        .hasMessage("nextLayout: " + NEW + " (expected: a lease, whose namespace can change)");
  }

  @Test
  void nextLayoutMustNotEndSoon() {
    Member member = fleet.member();
    IdLayout ended = IdLayout.BAIDU;
    assertThatThrownBy(() -> member.builder(OLD, member.lease()).nextLayout(ended).build())
        .hasMessage(
            "nextLayout: "
                + ended
                + " (expected: a layout that has not ended; it ended on 2024-11-20T13:24:16Z)");
    IdLayout short9 = IdLayout.of("38t+10w+3s@2026-01-01T00:00:00Z/1ms");
    assertThatThrownBy(() -> member.builder(OLD, member.lease()).nextLayout(short9).build())
        .hasMessage(
            "nextLayout: "
                + short9
                + " (expected: ten years left or allowUnderTenYears(), it ends on "
                + short9.expiresAt()
                + ")");
    member.start(member.builder(OLD, member.lease()).nextLayout(short9).allowUnderTenYears());
  }

  @Test
  void nextLayoutMustHaveTheWorkerAndTheDatacenterOfTheLease() {
    Member member = fleet.member();
    member.start(member.builder(OLD, member.lease().worker(15)).nextLayout(NEW));
    Snowflake.Builder lacking = member.builder(OLD, member.lease().worker(16)).nextLayout(NEW);
    assertThatThrownBy(lacking::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("worker: 16 (expected: 0..15, the layout is " + NEW + ")");
  }

  /** So that a fleet need not be configured anew before the end of the old layout. */
  @Test
  void oldLayoutMayHaveEndedWhereTheNamespaceHasTheNextOne() {
    IdLayout ending = IdLayout.of("30t+10w+3s@2026-10-25T00:00:00Z/1ms");
    Member member = fleet.member();
    member.start(member.builder(ending, member.lease()).nextLayout(NEW).allowUnderTenYears());
    change();
    fleet.pass(Duration.ofHours(2));
    fleet.time.advance(Duration.ofDays(9));
    assertThat(fleet.now()).isAfter(ending.expiresAt());

    Member late = fleet.member();
    Snowflake both = late.start(late.builder(ending, late.lease()).nextLayout(NEW));
    assertThat(both.layout()).isEqualTo(NEW);
    assertThatThrownBy(() -> late.builder(ending, late.lease()).build())
        .hasMessageContaining("(expected: a layout that has not ended; it ended on ");
  }

  @Test
  void layoutIsThatOfTheStoresClock() {
    Snowflake old = fleet.member().start(OLD);
    change();
    Namespace ahead =
        Namespace.of(fleet.store, Fleet.NAMESPACE, fleet.member().ahead(Duration.ofDays(1)));
    assertThat(ahead.layout()).contains(OLD);
    Instant until = AT.minusSeconds(1);
    assertThat(ahead.reserve(WorkerSet.of("1023"), OLD, "old Leaf", until, false)).hasSize(1);
    old.close();
  }
}
