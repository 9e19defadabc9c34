package io.firn.simulation.world;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.simulation.world.Scheme.Crew;
import io.firn.simulation.world.Scheme.Member;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A call takes the time that it lets pass itself, and no more than a bound. */
class CallTimeTest {

  private static final int NODES = 5;

  private final Settings settings = Settings.of(1).with(new Scale(NODES, 2, 1, Set.of()));
  private final long windowNanos = settings.terms().windowNanos();
  private final long mostNanos = 60 * windowNanos + 60_000 * World.NANOS_PER_MILLI;
  private boolean parks;

  /** Runs generators whose calls do that; on each host they begin while the last ones wait. */
  private void run(Consumer<Incarnation> call) {
    World world = new World(EventLog.none());
    Ledger ledger = new Ledger();
    Cluster cluster =
        new Cluster(
            settings,
            world,
            process -> crew(process, call),
            (slot, id, floor) -> {},
            new Load(1, 1, 1),
            ledger,
            settings.terms().layout());
    cluster.openUntil(NODES * mostNanos);
    cluster.nodes().forEach(node -> world.after(node.index() * mostNanos * 9 / 10, node::start));
    world.drain();
  }

  private Crew crew(Incarnation process, Consumer<Incarnation> call) {
    return new Crew() {
      @Override
      public Member open(int slot) {
        return new Calling(process, call);
      }

      @Override
      public long keep() {
        process.pass(parks ? mostNanos : 1);
        return windowNanos;
      }
    };
  }

  private record Calling(Incarnation process, Consumer<Incarnation> call) implements Member {

    @Override
    public long nextId() {
      call.accept(process);
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void aCallMayTakeSixtyWindowsAndAMinuteWhateverHappensMeanwhile() {
    assertThatCode(() -> run(process -> process.pass(mostNanos))).doesNotThrowAnyException();
  }

  @Test
  void aCallThatTakesANanosecondMoreIsAViolation() {
    assertTooLong(process -> process.pass(mostNanos + 1));
  }

  @Test
  void partsOfACallAddUp() {
    assertTooLong(
        process -> {
          process.pass(mostNanos);
          process.pass(1);
        });
  }

  /** The keeper is another thread, which often works while a call parks. */
  @Test
  void aCallThatParksDoesNotTakeTheTimeOfTheKeeper() {
    assertThatCode(() -> run(this::parkOften)).doesNotThrowAnyException();
  }

  private void parkOften(Incarnation process) {
    parks = true;
    for (int i = 0; i < 100; i++) {
      process.time().parkNanos(1);
    }
    parks = false;
  }

  private void assertTooLong(Consumer<Incarnation> call) {
    assertThatThrownBy(() -> run(call))
        .isInstanceOf(Violation.class)
        .hasMessageEndingWith(" took " + mostNanos / World.NANOS_PER_MILLI + " ms");
  }
}
