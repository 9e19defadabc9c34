package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdSpace;
import io.firn.WorkerSet;
import io.firn.lease.Layouts.Next;
import io.firn.lease.Layouts.Past;
import io.firn.lease.Layouts.State;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a {@linkplain LayoutChange change of layout}: of the namespace and its store,
 * of the layouts and the time, and of the registers of all workers.
 */
final class LayoutChecks {

  private final RegisterStore store;
  private final NamespaceRegisters namespace;

  LayoutChecks(NamespaceRegisters namespace) {
    store = namespace.store();
    this.namespace = namespace;
  }

  /**
   * Returns the layouts with a change that is proposed.
   *
   * @param view what the change is to be written over
   * @throws IllegalArgumentException if the layouts or the time do not fit
   * @throws IllegalStateException if another change is ahead, or the store has to settle
   * @throws UnsupportedOperationException if the store may forget and that was not allowed
   */
  Layouts proposed(NamespaceView view, Next next, boolean allowMayForget) {
    requireStore(view, allowMayForget);
    Layouts layouts = view.layouts().asOf(view.nowMillis());
    Next stands = layouts.next();
    if (stands != null && stands.state() != State.PROPOSED) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " changes to layout "
              + stands.layout()
              + " at "
              + Instant.ofEpochMilli(stands.fromMillis())
              + "; change its layout again after that, or call this change off with firn layout"
              + " cancel");
    }
    requireTimes(layouts, next, view.nowMillis());
    requireDisjoint(layouts, next);
    return layouts.withNext(next);
  }

  private void requireStore(NamespaceView view, boolean allowMayForget) {
    if (view.record().homes().areRecorded()) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " has home datacenters, whose other stores would not see a change of layout; use"
              + " another namespace");
    }
    namespace.requireKeeping(
        allowMayForget, "the change, and processes then go on in the old layout");
    if (store.mayForget() && view.binding() == null) {
      throw namespace.withoutIdentity();
    }
    namespace.requireSettled(view);
  }

  private void requireTimes(Layouts layouts, Next next, long nowMillis) {
    IdLayout to = next.layout();
    Instant at = Instant.ofEpochMilli(next.fromMillis());
    if (to.equals(layouts.current())) {
      throw new IllegalArgumentException(
          "to: " + to + " (expected: another layout than namespace " + namespace.name() + " has)");
    }
    if (to.shift(Kind.SEQUENCE) > to.shift(Kind.TIME)) {
      throw new IllegalArgumentException(
          "to: " + to + " (expected: time above the sequence, or IDs would not grow)");
    }
    if (next.fromMillis() <= nowMillis) {
      throw new IllegalArgumentException(
          "at: " + at + " (expected: after " + Instant.ofEpochMilli(nowMillis) + ", the clock)");
    }
    if (at.isBefore(to.epoch()) || !at.isBefore(to.positiveUntil())) {
      throw new IllegalArgumentException(
          "at: "
              + at
              + " (expected: from "
              + to.epoch()
              + " to before "
              + to.positiveUntil()
              + ", the ends of layout "
              + to
              + ")");
    }
  }

  private static void requireDisjoint(Layouts layouts, Next next) {
    long begin = Long.MIN_VALUE;
    for (Past past : layouts.past()) {
      requireDisjoint(past.layout(), begin, past.untilMillis(), next);
      begin = past.untilMillis();
    }
    requireDisjoint(layouts.current(), begin, next.fromMillis(), next);
  }

  private static void requireDisjoint(
      IdLayout before, long beginMillis, long endMillis, Next next) {
    OptionalLong common = between(before, beginMillis, endMillis).common(from(next));
    if (common.isPresent()) {
      throw new IllegalArgumentException(
          "to: "
              + next.layout()
              + " (expected: one that cannot issue an ID of "
              + before
              + " with a time before "
              + Instant.ofEpochMilli(endMillis)
              + "; both have "
              + Long.toUnsignedString(common.getAsLong())
              + ", see firn disjoint)");
    }
  }

  /** Returns the IDs of the whole ticks that begin and end between two times. */
  private static IdSpace between(IdLayout layout, long beginMillis, long endMillis) {
    IdSpace space = IdSpace.of(layout).until(layout.instantAt(ticks(layout, endMillis)));
    return beginMillis == Long.MIN_VALUE ? space : space.from(begin(layout, beginMillis));
  }

  private static IdSpace from(Next next) {
    return IdSpace.of(next.layout()).from(begin(next.layout(), next.fromMillis()));
  }

  /** Returns where the first tick begins at or past a time. */
  private static Instant begin(IdLayout layout, long millis) {
    long tick = layout.tick().toMillis();
    return layout.instantAt(ticks(layout, millis + tick - 1));
  }

  private static long ticks(IdLayout layout, long millis) {
    return Math.floorDiv(millis - layout.epoch().toEpochMilli(), layout.tick().toMillis());
  }

  /** Checks the registers of all workers, held or free, and that there is no watermark. */
  void requireRegisters(Layouts layouts, @Nullable Binding binding) {
    Next next = layouts.next();
    if (next == null) {
      return;
    }
    if (store.read(namespace.watermarkRegister()).isPresent()) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " has a watermark, whose readers take IDs for growing; use another namespace");
    }
    for (Register register : namespace.workerRegisters(layouts, binding)) {
      WorkerRecord record = WorkerRecord.parse(register);
      if (record.held() && record.layout().isEmpty()) {
        throw new IllegalStateException(
            "Worker "
                + namespace.workerOf(register)
                + " of "
                + namespace.name()
                + " is held by "
                + record.holder()
                + ", process "
                + record.pid()
                + ", whose version does not see a change; upgrade it, or release the worker ID once"
                + " that process has ended");
      }
      if (record.reserved() && record.fenceMillis() > next.fromMillis()) {
        requireReservationDisjoint(layouts, namespace.workerOf(register), record, next);
      }
    }
    latestPast(next, layouts, binding, "").ifPresent(latest -> refuse(next, latest));
  }

  private void refuse(Next next, Register latest) {
    throw new IllegalArgumentException(
        "at: "
            + Instant.ofEpochMilli(next.fromMillis())
            + " (expected: "
            + Instant.ofEpochMilli(WorkerRecord.parse(latest).fenceMillis())
            + " or later, worker "
            + namespace.workerOf(latest)
            + " of "
            + namespace.name()
            + " has times up to there)");
  }

  /**
   * Returns the register of the worker with the latest fence past a change; empty if none is past.
   *
   * @param except the layout whose records are not looked at; empty for none
   */
  Optional<Register> latestPast(
      Next next, Layouts layouts, @Nullable Binding binding, String except) {
    Register latest = null;
    long fence = next.fromMillis();
    for (Register register : namespace.workerRegisters(layouts, binding)) {
      WorkerRecord record = WorkerRecord.parse(register);
      boolean excepted = !except.isEmpty() && record.layout().equals(except);
      if (!record.reserved() && !excepted && record.fenceMillis() > fence) {
        latest = register;
        fence = record.fenceMillis();
      }
    }
    return Optional.ofNullable(latest);
  }

  /**
   * Refuses a reservation whose system may issue an ID of the new layout. It issues IDs of the
   * layout that the worker was reserved in, whatever the namespace has changed to since.
   */
  private void requireReservationDisjoint(
      Layouts layouts, long worker, WorkerRecord record, Next next) {
    boolean recorded = !record.layout().isEmpty();
    IdLayout layout = recorded ? IdLayout.of(record.layout()) : layouts.current();
    if (worker >= layout.workers()) { // an earlier version wrote it, before another change
      throw new IllegalStateException(
          "Worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + record.holder()
              + " in a layout that is not recorded, and layout "
              + layout
              + " has no such worker; release it once its system has ended");
    }
    IdSpace reserved = IdSpace.of(layout).withWorkers(WorkerSet.of(LongStream.of(worker)));
    if (record.fenceMillis() != WorkerRecord.NEVER_MILLIS) {
      reserved = reserved.until(Instant.ofEpochMilli(record.fenceMillis()));
    }
    OptionalLong common = reserved.common(from(next));
    if (common.isPresent()) {
      throw new IllegalStateException(
          "Worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + record.holder()
              + " past "
              + Instant.ofEpochMilli(next.fromMillis())
              + ", when its system and layout "
              + next.layout()
              + " can both issue "
              + Long.toUnsignedString(common.getAsLong())
              + "; end the reservation by then");
    }
  }
}
