package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.GeneratorClosedException;
import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.SnowflakeHandle;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.lease.LayoutChange.Plan;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A namespace changes its layout while its processes run. */
class LayoutChangeTest {

  /** 1,024 workers and 53 bits: its numbers are smaller than those of the other one. */
  private static final IdLayout OLD = IdLayout.of("40t+10w+3s@2026-01-01T00:00:00Z/1ms");

  /** Another tick, another epoch, fewer workers; its IDs are above all of {@link #OLD}. */
  private static final IdLayout NEW = IdLayout.of("46t+4w+12s@1970-01-01T00:00:00.003Z/10ms");

  /** Fewer workers than {@link #OLD}, and numbers in common with that. */
  private static final IdLayout LIKE_OLD = IdLayout.of("40t+8w+5s@2026-01-01T00:00:00Z/1ms");

  private static final Instant AT = START.plusSeconds(3600).plusMillis(7);

  private final Fleet fleet = new Fleet();
  private final LayoutChange change = LayoutChange.of(fleet.store, fleet.namespace());

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  private Snowflake startBoth(Member member) {
    return member.builder(OLD, member.lease()).nextLayout(NEW).build();
  }

  private void passUntil(Instant time) {
    fleet.pass(Duration.between(fleet.now(), time));
  }

  private Plan change() {
    return change.apply(NEW, AT, false);
  }

  /** Checks that an ID is of the one layout before the change, or of the other one after it. */
  private static void checkTimes(long id) {
    if (isNew(id)) {
      IdParts parts = NEW.parse(id);
      assertThat(parts.instant()).isAfterOrEqualTo(AT);
    } else {
      IdParts parts = OLD.parse(id);
      assertThat(parts.instant().plus(OLD.tick())).isBeforeOrEqualTo(AT);
    }
  }

  private static boolean isNew(long id) {
    return !OLD.fits(id);
  }

  /** As a pool may that has connections to an old and to a new primary. */
  @Test
  void registersOfAnotherStoreAreNotChecked() {
    fleet.store.withIdentity("run1");
    startBoth(fleet.member());
    fleet.pass(Duration.ofMinutes(2));
    InterposedStore split =
        new InterposedStore(fleet.store) {
          @Override
          public Optional<Register> read(String name) {
            return name.contains("/worker/") ? Optional.empty() : super.read(name);
          }

          @Override
          public List<Register> scan(String prefix) {
            return List.of();
          }

          @Override
          public Optional<Snapshot> snapshot(List<String> names) {
            return super.snapshot(names)
                .map(
                    read ->
                        names.get(0).contains("/worker/")
                            ? new Snapshot("run2", read.timeMillis(), List.of())
                            : read);
          }
        };
    LayoutChange ofTwo = LayoutChange.of(split, Namespace.of(split, Fleet.NAMESPACE, fleet.time));

    assertThatThrownBy(() -> ofTwo.apply(NEW, AT, true))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("answered as two stores");
  }

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
  void callThatWaitsForAnotherWorkerGoesOnWhereAnotherCallWentOver() {
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

  /** Starts a generator whose name leads it to that worker. */
  private Snowflake startOn(Member member, long worker) {
    for (int i = 0; ; i++) {
      Snowflake snowflake = member.builder(OLD, member.lease("host-" + i)).nextLayout(NEW).build();
      if (worker(snowflake) >= NEW.workers() || worker(snowflake) == worker) {
        return snowflake;
      }
      snowflake.close();
    }
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
            "layout: "
                + OLD
                + " (expected: "
                + NEW
                + ", which namespace orders has since "
                + AT
                + "; start this process with that layout)");
    assertThatThrownBy(() -> fleet.member().start(OLD))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessageContaining("start this process with that layout");
    old.close();
  }

  @Test
  void processWithTheNewLayoutAloneWaitsForTheChange() {
    Snowflake old = fleet.member().start(OLD);
    change();
    assertThatThrownBy(() -> fleet.member().start(NEW))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "layout: "
                + NEW
                + " (expected: "
                + OLD
                + " until "
                + AT
                + ", when namespace orders changes; start this process then, or with both"
                + " layouts)");
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
    assertThat(ids.stream().filter(LayoutChangeTest::isNew).count()).isGreaterThan(1_000);
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
  void timeBeforeAFenceIsRefused() {
    Snowflake old = fleet.member().start(OLD);
    Instant fence = Fleet.fence(old);
    Instant early = fence.minusMillis(1);
    assertThatThrownBy(() -> change.apply(NEW, early, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "at: "
                + early
                + " (expected: "
                + fence
                + " or later, worker "
                + worker(old)
                + " of orders has times up to there)");
    assertThat(fleet.store.value("orders/layout")).startsWith("firn-namespace/1 ");
    assertThat(change.apply(NEW, fence, false).fixed()).isTrue();
  }

  @Test
  void holderThatExtendsBetweenTheStepsIsSeen() {
    Member member = fleet.member();
    Snowflake old = startBoth(member);
    Instant at = fleet.now().plusSeconds(31);
    // Checked; then the holder renews past the time, before the proposal is written.
    fleet.store.beforeNextWrite(() -> fleet.pass(Duration.ofSeconds(16)));
    assertThatThrownBy(() -> change.apply(NEW, at, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(" or later, worker " + worker(old) + " of orders has times");
    assertThat(fleet.store.value("orders/layout")).startsWith("firn-namespace/1 ");
    passUntil(at.plusSeconds(60));
    assertThat(isNew(old.nextId())).isFalse();
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
        .hasMessageContaining("was not completed; firn layout change completes it");
    List<WorkerEntry> before = fleet.namespace().workers();
    assertThatThrownBy(() -> fleet.member().start(NEW))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessageContaining("was not completed");
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

  /** Leaves behind what a tool does that ends after its first step. */
  private void propose(Instant at) {
    leave(at, Layouts.State.PROPOSED);
  }

  private void leave(Instant at, Layouts.State state) {
    Layouts layouts =
        Layouts.of(OLD).withNext(new Layouts.Next(NEW, at.toEpochMilli(), state, "1"));
    fleet.store.put("orders/layout", new NamespaceRecord(layouts, Homes.NONE, null).text());
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
        .hasMessageContaining("was not completed");
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
  void lostRepliesOfTheToolEndInAFixedChange() {
    var unused = fleet.member().start(OLD);
    for (int lost = 0; lost < 2; lost++) {
      Instant at = AT.plusSeconds(lost);
      fleet.store.nextWrites(
          lost == 0 ? Fault.REPLY_LOST : Fault.APPLIED,
          lost == 0 ? Fault.REQUEST_LOST : Fault.REPLY_LOST);
      assertThat(change.apply(NEW, at, false).fixed()).isTrue();
      assertThat(change.current().orElseThrow().fixed()).isTrue();
      fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REPLY_LOST);
      assertThat(change.callOff().at()).isEqualTo(at);
      assertThat(fleet.store.value("orders/layout")).startsWith("firn-namespace/1 layout=" + OLD);
    }
  }

  @Test
  void changeIsCalledOff() {
    Snowflake both = startBoth(fleet.member());
    change();
    passUntil(AT.minusSeconds(60));
    assertThat(change.callOff().to()).isEqualTo(NEW);
    assertThat(change.current()).isEmpty();
    passUntil(AT.plusSeconds(60));
    long id = both.nextId();
    assertThat(isNew(id)).isFalse();
    assertThat(both.layout()).isEqualTo(OLD);
    assertThatThrownBy(change::callOff)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("namespace: orders (expected: one whose layout is being changed)");
  }

  /** Its last window was written before it saw the change, past the time, and cut there. */
  @Test
  void windowOfTheOldLayoutPastTheTimeDoesNotKeepAChangeFromBeingCalledOff() {
    Snowflake old = fleet.member().start(OLD);
    Instant at = fleet.now().plusSeconds(36);
    change.apply(NEW, at, false);
    passUntil(at.minusSeconds(19));
    assertThat(fleet.record(worker(old)).fenceMillis()).isGreaterThan(at.toEpochMilli());
    assertThat(Fleet.fence(old)).isEqualTo(at);

    assertThat(change.callOff().at()).isEqualTo(at);

    long last = -1;
    while (fleet.now().isBefore(at.plusSeconds(40))) {
      last = Fleet.nextAfter(old, last);
      fleet.pass(Duration.ofMillis(500));
    }
    assertThat(OLD.parse(last).instant()).isAfter(at);
    assertThat(fleet.namespace().workers()).hasSize(1); // it has kept its worker
    assertThat(isNew(startBoth(fleet.member()).nextId())).isFalse();
  }

  /** Its window ends at the time, and it reads that the change was called off only then. */
  @Test
  void changeIsCalledOffShortlyBeforeItsTime() {
    Snowflake old = fleet.member().start(OLD);
    Member pinning = fleet.member();
    Snowflake pinned = pinning.start(OLD, pinning.lease().worker(3));
    change();
    passUntil(AT.minusSeconds(1));
    assertThat(change.callOff().at()).isEqualTo(AT);
    passUntil(AT.plusSeconds(1));
    for (Snowflake each : List.of(old, pinned)) {
      long id = each.nextId();
      assertThat(isNew(id)).isFalse();
      assertThat(OLD.parse(id).instant()).isAfterOrEqualTo(AT);
    }
    assertThat(worker(pinned)).isEqualTo(3);
  }

  @Test
  void callingOffThatStoppedIsFinishedBeforeAnotherChange() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(2)).nextLayout(NEW).build();
    change();
    passUntil(AT.minusSeconds(60));
    leave(AT, Layouts.State.RECALLED);
    assertThatThrownBy(() -> change.apply(NEW, AT.plusSeconds(60), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("firn layout cancel calls it off");
    fleet.pass(Duration.ofSeconds(15));
    assertThat(change.callOff().at()).isEqualTo(AT);
    passUntil(AT.plusSeconds(60));
    assertThat(isNew(both.nextId())).isFalse();
  }

  @Test
  void callingOffThatStoppedTooLateIsFixedAgain() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(2)).nextLayout(NEW).build();
    change();
    passUntil(AT.minusSeconds(1));
    leave(AT, Layouts.State.RECALLED);
    assertThatThrownBy(change::callOff).hasMessageContaining("can't be called off any more");
    assertThat(change.current().orElseThrow().fixed()).isTrue();
    passUntil(AT.plusSeconds(1));
    assertThat(isNew(both.nextId())).isTrue();
  }

  @Test
  void proposalIsCalledOffAlthoughAFenceIsPastIt() {
    Snowflake old = fleet.member().start(OLD);
    propose(START.plusSeconds(20));
    assertThat(change.callOff().fixed()).isFalse();
    assertThat(change.current()).isEmpty();
    fleet.pass(Duration.ofSeconds(60));
    assertThat(isNew(old.nextId())).isFalse();
  }

  @Test
  void secondToolThatCallsOffMeanwhileIsNoticed() {
    Snowflake both = startBoth(fleet.member());
    Runnable[] other = new Runnable[1];
    other[0] = () -> change.callOff();
    // Between the proposal and the reply to it, another operator calls it off.
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextWrite(other[0]));
    assertThatThrownBy(this::change)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected: one change of layout at a time");
    assertThat(change.current()).isEmpty();
    passUntil(AT.plusSeconds(60));
    assertThat(isNew(both.nextId())).isFalse();
  }

  @Test
  void changeThatAWindowHasReachedIsNotCalledOff() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(2)).nextLayout(NEW).build();
    change();
    passUntil(AT.minusSeconds(1));
    assertThatThrownBy(change::callOff)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "The change of namespace orders can't be called off any more: at: " + AT);
    assertThat(change.current().orElseThrow().fixed()).isTrue();
    passUntil(AT.plusSeconds(1));
    assertThat(isNew(both.nextId())).isTrue();
    assertThatThrownBy(change::callOff).hasMessageContaining("has layout " + NEW + " since " + AT);
  }

  @Test
  void holderThatGoesOverWhileTheChangeIsCalledOffStaysInTheOldLayout() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(2)).nextLayout(NEW).build();
    change();
    passUntil(AT.minusSeconds(16));
    // The change is recalled between the renewal in the new layout and the read after it.
    fleet.store.beforeNextWrite(() -> leave(AT, Layouts.State.RECALLED));
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.record(2).layout()).isEqualTo(NEW.toString());
    fleet.pass(Duration.ofMillis(1_500));
    assertThatThrownBy(both::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void layoutsThatCanIssueTheSameIdAreRefused() {
    var unused = fleet.member().start(OLD);
    IdLayout wider = IdLayout.of("40t+8w+5s@2026-01-01T00:00:00Z/1ms");
    IdLayout shifted = IdLayout.of("40t+8w+5s@2026-01-02T00:00:00Z/1ms");
    assertThat(change.check(wider, AT, false).grows()).isTrue(); // another split of the same time
    assertThatThrownBy(() -> change.check(shifted, AT, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "to: " + shifted + " (expected: one that cannot issue an ID of " + OLD)
        .hasMessageContaining("see firn disjoint");
    assertThatThrownBy(() -> change.check(OLD, AT, false)).hasMessageStartingWith("to: " + OLD);
    assertThat(fleet.store.value("orders/layout")).startsWith("firn-namespace/1 ");
  }

  @Test
  void secondChangeIsCheckedAgainstEveryLayoutBefore() {
    Snowflake both = startBoth(fleet.member());
    change();
    assertThatThrownBy(() -> change.check(IdLayout.CLASSIC, AT.plusSeconds(9), false))
        .hasMessageContaining("expected: no other change ahead; firn layout cancel calls it off");
    passUntil(AT.plusSeconds(60));
    checkTimes(both.nextId());
    IdLayout shifted = IdLayout.of("40t+8w+5s@2026-01-02T00:00:00Z/1ms");
    Instant second = fleet.now().plusSeconds(600);
    assertThatThrownBy(() -> change.check(shifted, second, false))
        .hasMessageContaining("cannot issue an ID of " + OLD + " with a time before " + AT);
    // Back again, at times that the first layout never had.
    assertThat(change.apply(OLD, second, false).grows()).isFalse();
    assertThat(fleet.store.value("orders/layout")).contains(" past=" + OLD + ".." + AT);
    passUntil(second.plusSeconds(1));
    long id = both.nextId();
    assertThat(isNew(id)).isFalse();
    assertThat(OLD.parse(id).instant()).isAfterOrEqualTo(second);
    assertThatThrownBy(() -> fleet.member().start(NEW))
        .hasMessageContaining("start this process with that layout");
    assertThatThrownBy(() -> fleet.member().start(IdLayout.CLASSIC))
        .isInstanceOf(LayoutMismatchException.class);
  }

  @Test
  void processOfAnEarlierVersionIsFoundAndNamed() {
    Snowflake old = fleet.member().start(OLD);
    String name = fleet.register(worker(old));
    fleet.store.put(name, fleet.store.value(name).replaceFirst(" layout=\\S+", ""));
    assertThatThrownBy(() -> change.check(NEW, AT, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("worker " + worker(old) + " of orders is held by host-0, process ")
        .hasMessageContaining("expected: processes of this version, which see a change");
  }

  @Test
  void reservationPastTheChangeIsRefusedUnlessDisjoint() {
    fleet.member().start(OLD);
    var unused = fleet.namespace().reserve(700, OLD, "Leaf", WorkerEntry.NEVER, false);
    assertThat(change.check(NEW, AT, false).to()).isEqualTo(NEW); // above all IDs of the old one
    assertThatThrownBy(() -> change.check(LIKE_OLD, AT, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("worker 700 of orders is reserved for Leaf past " + AT);
    Instant end = fleet.now().plusSeconds(60);
    unused = fleet.namespace().release(700, end);
    assertThat(change.check(LIKE_OLD, AT, false).to()).isEqualTo(LIKE_OLD);
  }

  /** The worker ID is none of the layout that the namespace has in between. */
  @Test
  void reservationIsCheckedInItsOwnLayout() {
    var unused = fleet.namespace().reserve(700, OLD, "Leaf", WorkerEntry.NEVER, false);
    change();
    passUntil(AT.plusSeconds(1));
    Instant next = AT.plusSeconds(3600);

    assertThatThrownBy(() -> change.check(LIKE_OLD, next, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("worker 700 of orders is reserved for Leaf past " + next);

    unused = fleet.namespace().release(700, fleet.now());
    assertThat(change.check(LIKE_OLD, next, false).to()).isEqualTo(LIKE_OLD);
  }

  @Test
  void reservationWithoutALayoutIsOneOfTheCurrentLayoutOrRefused() {
    var unused = fleet.namespace().reserve(700, OLD, "Leaf", WorkerEntry.NEVER, false);
    String register = fleet.register(700);
    fleet.store.put(register, fleet.record(700).withLayout("").text());
    assertThat(fleet.store.value(register)).doesNotContain(" layout=");
    assertThatThrownBy(() -> change.check(LIKE_OLD, AT, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("worker 700 of orders is reserved for Leaf past " + AT);
    change();
    passUntil(AT.plusSeconds(1));
    Instant next = AT.plusSeconds(3600);

    assertThatThrownBy(() -> change.check(LIKE_OLD, next, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "worker 700 of orders is reserved for Leaf in a layout that is not recorded (expected:"
                + " one that is, or a worker of layout "
                + NEW
                + "; release it once its system has ended)");
  }

  @Test
  void reservationIsNotRepeatedInAnotherLayout() {
    var unused = fleet.namespace().reserve(7, OLD, "Leaf", WorkerEntry.NEVER, false);
    change();
    passUntil(AT.plusSeconds(1));

    assertThatThrownBy(() -> fleet.namespace().reserve(7, NEW, "Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "worker 7 of orders is reserved for Leaf in layout "
                + OLD
                + " (expected: a reservation in layout "
                + NEW
                + "; release it once its system has ended, or reserve another worker)");
    assertThat(fleet.record(7).layout()).isEqualTo(OLD.toString());
  }

  @Test
  void reservationPastAChangeThatIsAheadIsRefused() {
    var unused = fleet.member().start(OLD);
    change();
    assertThatThrownBy(() -> fleet.namespace().reserve(7, OLD, "Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("namespace orders changes its layout at " + AT);
    assertThat(fleet.namespace().reserve(7, OLD, "Leaf", AT, false).reserved()).isTrue();
  }

  @Test
  void reservationThatIsWrittenBetweenTheStepsIsTakenBack() {
    var unused = fleet.member().start(OLD);
    fleet.store.beforeNextWrite(() -> propose(AT));
    assertThatThrownBy(() -> fleet.namespace().reserve(7, OLD, "Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class);
    assertThat(fleet.record(7).fenceMillis()).isEqualTo(START.toEpochMilli());
  }

  @Test
  void refusedRepetitionLeavesTheReservationAsItWas() {
    var unused = fleet.member().start(OLD);
    Instant until = AT.plus(Duration.ofDays(1000));
    var reserved = fleet.namespace().reserve(700, OLD, "Leaf", until, false);
    String before = fleet.store.value(fleet.register(700));
    fleet.pass(Duration.ofSeconds(1));
    fleet.store.beforeNextWrite(() -> propose(AT));

    assertThatThrownBy(() -> fleet.namespace().reserve(700, OLD, "Leaf", until, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("namespace orders changes its layout at " + AT);
    assertThat(fleet.store.value(fleet.register(700))).isEqualTo(before);
    assertThat(reserved.fence()).isEqualTo(until);
    Member pinned = fleet.member();
    assertThatThrownBy(() -> pinned.start(OLD, pinned.lease().worker(700)))
        .hasMessageContaining("is reserved for Leaf");
  }

  private IdBlocks blocks(IdLayout layout) {
    return IdBlocks.builder(LeaseConfig.builder(fleet.store, "orders").build())
        .layout(layout)
        .timeSource(fleet.time)
        .build();
  }

  @Test
  void blocksEndAtTheChangeAndBeginThere() {
    var unused = fleet.member().start(OLD);
    IdBlocks blocks = blocks(OLD);
    change();
    passUntil(AT.minusSeconds(2));
    assertThatThrownBy(() -> blocks.take(8 * 60_000L * 30))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("before " + AT + ", when namespace orders changes its layout");
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
        .hasMessageContaining("from " + AT + " on, when namespace orders changes its layout");
  }

  @Test
  void blockThatReachesPastAChangeIsAGap() {
    var unused = fleet.member().start(OLD);
    IdBlocks blocks = blocks(OLD);
    passUntil(AT.minusSeconds(2));
    fleet.store.beforeNextWrite(() -> propose(AT));
    assertThatThrownBy(() -> blocks.take(8 * 10_000)) // ten seconds of one worker
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("before " + AT);
  }

  @Test
  void blockPastTheTimeIsRefusedWithALaterTime() {
    var unused = fleet.member().start(OLD);
    IdBlock block = blocks(OLD).take(8 * 60_000);
    Instant end = block.until();
    assertThatThrownBy(() -> change.check(NEW, end.minusMillis(1), false))
        .hasMessageContaining("(expected: " + end + " or later, worker ");
    assertThat(change.check(NEW, end, false).at()).isEqualTo(end);
  }

  @Test
  void namespaceWithAWatermarkIsNotChangedAndOneThatChangesHasNone() {
    Snowflake both = startBoth(fleet.member());
    Watermark watermark = Watermark.builder(fleet.store, "orders").timeSource(fleet.time).build();
    change();
    assertThatThrownBy(watermark::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected: one whose layout is not being changed");
    passUntil(AT.plusSeconds(1));
    checkTimes(both.nextId());
    assertThat(watermark.current().id()).isEqualTo(-1);
    fleet.pass(Duration.ofSeconds(60)); // the holders of the old layout are declared dead
    var unused = watermark.current();
    fleet.pass(Duration.ofSeconds(60));
    assertThat(watermark.current().id()).isPositive();
    assertThatThrownBy(() -> change.check(IdLayout.CLASSIC, fleet.now().plusSeconds(900), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected: one without a watermark");
  }

  @Test
  void handlesAndBatchesGoOver() {
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
    ids.stream().filter(id -> id >= 0).forEach(LayoutChangeTest::checkTimes);
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

  @Test
  void scopesThatAreOpenAtTheChangeAreGivenUp() {
    Snowflake both = startBoth(fleet.member());
    change();
    passUntil(AT.minusSeconds(1));
    var before = both.scope();
    checkTimes(before.nextId());
    fleet.pass(Duration.ofSeconds(2));
    var after = both.scope();
    assertThat(isNew(after.nextId())).isTrue();
    assertThatThrownBy(before::beforeCommit).isInstanceOf(io.firn.ScopeExpiredException.class);
    after.beforeCommit();
    after.close();
    both.close();
  }

  @Test
  void changeOfAStoreThatMayForgetIsRefused() {
    Fleet forgetful = new Fleet();
    forgetful.store.thatMayForget().withIdentity("run-1").withClock(fleet.time::currentTimeMillis);
    var unused = forgetful.member().start(OLD);
    LayoutChange refused = LayoutChange.of(forgetful.store, forgetful.namespace());
    assertThatThrownBy(() -> refused.check(NEW, AT, false))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("this one may lose the change");
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
}
