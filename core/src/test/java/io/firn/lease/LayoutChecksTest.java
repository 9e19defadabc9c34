package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.block.IdBlock;
import io.firn.lease.Fleet.Member;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a change of layout is checked against: fences, reservations, blocks and other layouts. */
class LayoutChecksTest extends ChangingNamespace {

  /** As a pool may that has connections to an old and to a new primary. */
  @Test
  void registersOfAnotherStoreAreNotChecked() {
    fleet.store.withIdentity("run1");
    startBoth(fleet.member());
    fleet.pass(Duration.ofMinutes(2));
    RegisterStore split = fleet.splitStore();
    LayoutChange ofTwo =
        LayoutChange.of(new NamespaceRegisters(split, Fleet.NAMESPACE, fleet.time));

    assertThatThrownBy(() -> ofTwo.apply(NEW, AT, true))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("answered as two stores");
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
  void timeWithinAMillisecondIsRefused() {
    var unused = fleet.member().start(OLD);
    Instant at = AT.plusNanos(1);
    for (ThrowingCallable refused :
        List.<ThrowingCallable>of(
            () -> change.check(NEW, at, false), () -> change.apply(NEW, at, false))) {
      assertThatThrownBy(refused)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("at: " + at + " (expected: whole milliseconds)");
    }
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
        .hasMessageContaining("; change its layout again after that, or call this change off");
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
        .hasMessageContaining("; start it with the namespace's layout");
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
        .hasMessageStartingWith("Worker " + worker(old) + " of orders is held by host-0, process ")
        .hasMessageContaining("whose version does not see a change; upgrade it");
  }

  @Test
  void reservationPastTheChangeIsRefusedUnlessDisjoint() {
    fleet.member().start(OLD);
    var unused = fleet.namespace().reserve(700, OLD, "Leaf", WorkerEntry.NEVER, false);
    assertThat(change.check(NEW, AT, false).to()).isEqualTo(NEW); // above all IDs of the old one
    assertThatThrownBy(() -> change.check(LIKE_OLD, AT, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Worker 700 of orders is reserved for Leaf past " + AT);
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
        .hasMessageStartingWith("Worker 700 of orders is reserved for Leaf past " + next);

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
        .hasMessageStartingWith("Worker 700 of orders is reserved for Leaf past " + AT);
    change();
    passUntil(AT.plusSeconds(1));
    Instant next = AT.plusSeconds(3600);

    assertThatThrownBy(() -> change.check(LIKE_OLD, next, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Worker 700 of orders is reserved for Leaf in a layout that is not recorded, and layout "
                + NEW
                + " has no such worker; release it once its system has ended");
  }

  @Test
  void reservationIsNotRepeatedInAnotherLayout() {
    var unused = fleet.namespace().reserve(7, OLD, "Leaf", WorkerEntry.NEVER, false);
    change();
    passUntil(AT.plusSeconds(1));

    assertThatThrownBy(() -> fleet.namespace().reserve(7, NEW, "Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Worker 7 of orders is reserved for Leaf in layout "
                + OLD
                + ", not in layout "
                + NEW
                + "; release it once its system has ended, or reserve another worker");
    assertThat(fleet.record(7).layout()).isEqualTo(OLD.toString());
  }

  @Test
  void reservationPastAChangeThatIsAheadIsRefused() {
    var unused = fleet.member().start(OLD);
    change();
    assertThatThrownBy(() -> fleet.namespace().reserve(7, OLD, "Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Namespace orders changes its layout at " + AT);
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
        .hasMessageContaining("Namespace orders changes its layout at " + AT);
    assertThat(fleet.store.value(fleet.register(700))).isEqualTo(before);
    assertThat(reserved.fence()).isEqualTo(until);
    Member pinned = fleet.member();
    assertThatThrownBy(() -> pinned.start(OLD, pinned.lease().worker(700)))
        .hasMessageContaining("is reserved for Leaf");
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
  void changeOfAStoreThatMayForgetIsRefused() {
    Fleet forgetful = new Fleet();
    forgetful.store.thatMayForget().withIdentity("run-1").withClock(fleet.time::currentTimeMillis);
    var unused = forgetful.member().start(OLD);
    LayoutChange refused = LayoutChange.of(forgetful.namespace().registers());
    assertThatThrownBy(() -> refused.check(NEW, AT, false))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("this one may lose the change");
  }
}
