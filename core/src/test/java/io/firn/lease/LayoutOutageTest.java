package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The store is away before a change of layout, or while it is written. */
class LayoutOutageTest extends ChangingNamespace {

  /** Ten seconds after a renewal is due. */
  private static final Instant LATER = START.plusSeconds(3610);

  private static final IdLayout FINE = IdLayout.of("46t+4w+12s@1970-01-01T00:00:00Z/1ms");

  @Test
  void storeThatWasAwayBeforeTheChangeLeavesNoGap() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(3)).nextLayout(NEW).build();
    change.apply(NEW, LATER, false);
    passUntil(LATER.minusSeconds(39));
    assertThat(Fleet.fence(both)).isEqualTo(LATER.minusSeconds(10));
    fleet.store.goDown();
    passUntil(LATER.minusSeconds(13));
    fleet.store.comeBack();

    long last = -1;
    while (fleet.now().isBefore(LATER.plusSeconds(40))) {
      last = Fleet.nextAfter(both, last);
      Instant issued = Fleet.timeOf(both, last);
      assertThat(isNew(last)).isEqualTo(!fleet.now().isBefore(LATER));
      assertThat(issued).isBetween(fleet.now().minusMillis(10), fleet.now());
      fleet.pass(Duration.ofMillis(100));
    }
    assertThat(Fleet.worker(both)).isEqualTo(3);
    assertThat(fleet.namespace().workers()).hasSize(1);
  }

  @Test
  void renewalsBeforeTheChangeAreFew() {
    Member member = fleet.member();
    Snowflake both = member.builder(OLD, member.lease().worker(3)).nextLayout(NEW).build();
    change.apply(NEW, LATER, false);
    passUntil(LATER.minusSeconds(39));
    fleet.store.goDown();
    passUntil(LATER.minusSeconds(13));
    fleet.store.comeBack();
    int writes = fleet.store.writes(fleet.register(3));

    passUntil(LATER.plusSeconds(1));

    assertThat(isNew(both.nextId())).isTrue();
    assertThat(fleet.store.writes(fleet.register(3)) - writes).isEqualTo(2);
  }

  /** A tick of ten milliseconds holds the time of the change, and is not issued. */
  @Test
  void callInATickThatIsNotIssuedWaitsForTheChangeWhateverItsMaximumWait() {
    Member member = fleet.member();
    IdLayout coarse = IdLayout.of("36t+10w+7s@2026-01-01T00:00:00Z/10ms");
    Snowflake both =
        member
            .builder(coarse, member.lease().worker(3))
            .nextLayout(FINE)
            .maxWait(Duration.ZERO)
            .build();
    change.apply(FINE, AT, false);
    passUntil(AT.minusMillis(8));
    assertThat(coarse.parse(both.nextId()).worker()).isEqualTo(3);
    passUntil(AT.minusMillis(4)); // the tick begins 7 ms before the change

    long id = both.nextId();

    assertThat(FINE.parse(id).instant()).isEqualTo(AT);
    assertThat(fleet.now()).isEqualTo(AT);
  }

  @Test
  void callThatWaitsTooLongForAnotherWorkerAtTheChangeSaysSo() {
    Member member = fleet.member();
    Snowflake both = startOn(member, 999);
    change();
    passUntil(AT.minusMillis(200));
    fleet.time.advance(Duration.ofMillis(300)); // and its keeper does nothing

    assertThatThrownBy(both::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining("namespace orders changes to layout " + NEW + " at " + AT);
  }

  /** The registers that were checked may be lost. */
  @Test
  void changeIsNotFixedUnderAnotherMarkThanItsRegistersWereReadUnder() {
    fleet.store.withIdentity("run1");
    fleet.member().start(OLD);
    RegisterStore restarting =
        new InterposedStore(fleet.store) {
          private int readings;

          @Override
          public Optional<Snapshot> snapshot(List<String> names) {
            Optional<Snapshot> read = super.snapshot(names);
            // Twice by the check before the proposal, and twice by the one after it.
            if (names.contains(fleet.register(OLD.workers() - 1)) && ++readings == 4) {
              fleet.store.withIdentity("run2");
              fleet.member().start(OLD);
            }
            return read;
          }
        };

    assertThatThrownBy(() -> LayoutChange.of(restarting, "orders").apply(NEW, AT, false))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("was started, promoted or restored meanwhile; try again");
    assertThat(Namespace.of(fleet.store, "orders").layout()).contains(OLD);
  }

  @Test
  void proposalThatIsNotCompletedIsLoggedByEachProcess() {
    Snowflake both = startBoth(fleet.member());
    Snowflake old = fleet.member().start(OLD);
    propose(AT);
    try (LogLines lines = new LogLines("io.firn.lease")) {
      passUntil(START.plusSeconds(60));

      List<String> warnings = warnings(lines);
      assertThat(warnings)
          .hasSize(2)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .isEqualTo(
                          "the change of namespace orders to layout "
                              + NEW
                              + " at "
                              + AT
                              + " is proposed, and was not completed: its processes stop at that"
                              + " time; firn layout cancel calls it off, firn layout change"
                              + " completes it"));
      passUntil(AT.minusSeconds(1));
      assertThat(warnings(lines)).hasSizeBetween(2 * 5, 2 * 12); // each time half of it is left
    }
    assertThat(isNew(old.nextId())).isFalse();
    assertThat(isNew(both.nextId())).isFalse();
  }

  @Test
  void proposalThatIsCompletedSoonIsNotLogged() {
    var unused = startBoth(fleet.member());
    try (LogLines lines = new LogLines("io.firn.lease")) {
      propose(AT);
      fleet.pass(Duration.ofSeconds(15));
      change();
      passUntil(AT.plusSeconds(60));
      assertThat(warnings(lines)).isEmpty();
    }
  }

  private static List<String> warnings(LogLines lines) {
    return lines.messages().stream().filter(line -> line.contains("was not completed:")).toList();
  }

  @Test
  void proposalIsWithdrawnIfTheRegistersCannotBeRead() {
    fleet.store.withIdentity("run1");
    Snowflake both = startBoth(fleet.member());
    passUntil(START.plusSeconds(120)); // settled
    String unreadable = fleet.register((Fleet.worker(both) + 1) % 1024);
    fleet.store.beforeNextWrite(() -> fleet.store.put(unreadable, "firn-worker/9 state=unknown"));

    assertThatThrownBy(this::change).isInstanceOf(StoreException.class);

    assertThat(change.current()).isEmpty();
  }
}
