package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A change of layout is called off, or the command that writes it stops in between. */
class LayoutCancelTest extends ChangingNamespace {

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
        .hasMessage("Namespace orders has no change of layout ahead; there is none to call off");
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
        .hasMessageContaining("call this change off with firn layout cancel");
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
  void concurrentCancellationIsDetected() {
    Snowflake both = startBoth(fleet.member());
    Runnable[] other = new Runnable[1];
    other[0] = () -> change.callOff();
    // Between the proposal and the reply to it, another operator calls it off.
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextWrite(other[0]));
    assertThatThrownBy(this::change)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Another process has written a change of layout");
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
            "The change of namespace orders at "
                + AT
                + " can't be called off any more: worker 2 has times up to ")
        .hasMessageEndingWith("; change the layout again after it");
    assertThat(change.current().orElseThrow().fixed()).isTrue();
    passUntil(AT.plusSeconds(1));
    assertThat(isNew(both.nextId())).isTrue();
    assertThatThrownBy(change::callOff)
        .hasMessageContaining("Namespace orders has layout " + NEW + " since " + AT);
  }

  @Test
  void holderThatGoesOverWhileTheChangeIsCalledOffStaysInTheOldLayout() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(2)).nextLayout(NEW).build();
    Instant at = START.plusSeconds(3600); // where its last window of the old layout ends
    change.apply(NEW, at, false);
    passUntil(at.minusSeconds(16));
    // The change is recalled between the renewal in the new layout and the read after it.
    fleet.store.beforeNextWrite(() -> leave(at, Layouts.State.RECALLED));
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.record(2).layout()).isEqualTo(NEW.toString());
    fleet.pass(Duration.ofMillis(1_500));
    assertThatThrownBy(both::nextId).isInstanceOf(LeaseExpiredException.class);
  }
}
