package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.lease.Layouts.Next;
import io.firn.lease.Layouts.State;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The change of a namespace to another layout at a point in time, while its processes run. IDs of
 * the current layout have earlier times, IDs of the new one have that time or later ones; a tick
 * that holds the time is not issued in either layout. Processes that were given both layouts go
 * over; those that know only the current one stop then, and those that know only the new one can be
 * started from then on.
 *
 * <p>A change is allowed only if no ID of the new layout can equal one of a layout before. See
 * {@link LayoutWatch} for why no time is used with both. Thread-safe.
 */
public final class LayoutChange {

  private static final int MAX_ATTEMPTS = 8;

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final TimeSource time;
  private final LayoutChecks checks;

  /**
   * A change at one moment.
   *
   * @param from the layout before
   * @param to the layout that follows
   * @param at where the times of the one end and those of the other begin
   * @param fixed whether it will take place; a proposal that was not completed only ends the
   *     current layout
   * @param grows whether every ID of the new layout is larger than every ID before
   */
  public record Plan(IdLayout from, IdLayout to, Instant at, boolean fixed, boolean grows) {}

  private LayoutChange(NamespaceRegisters namespace) {
    store = namespace.store();
    this.namespace = namespace;
    time = namespace.time();
    checks = new LayoutChecks(namespace);
  }

  /**
   * Returns the change of a namespace.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   */
  public static LayoutChange of(RegisterStore store, String namespace) {
    return of(Namespace.of(store, namespace).registers());
  }

  static LayoutChange of(NamespaceRegisters namespace) {
    return new LayoutChange(namespace);
  }

  /**
   * Returns what {@link #current} does for several namespaces, in one call of the store where that
   * can.
   *
   * @param names their names
   * @return the changes by namespace; none for one that had none
   */
  public static SortedMap<String, Plan> current(RegisterStore store, Collection<String> names) {
    SortedMap<String, Plan> plans = new TreeMap<>();
    for (Register register : NamespaceRegisters.layoutRegisters(store, names)) {
      Layouts layouts = NamespaceRecord.parse(register).layouts();
      Next next = layouts.next();
      if (next != null) {
        plans.put(NamespaceRegisters.namespaceOf(register.name()), plan(layouts, next));
      }
    }
    return plans;
  }

  /**
   * Returns the change that was proposed or took place last; empty if there was none.
   *
   * @throws IllegalArgumentException if the namespace is not there
   * @throws StoreException if the store cannot be asked
   */
  public Optional<Plan> current() {
    Layouts layouts = look().layouts();
    return Optional.ofNullable(layouts.next()).map(next -> plan(layouts, next));
  }

  /**
   * Checks what {@link #apply} would refuse, and writes nothing.
   *
   * @param to the new layout
   * @param at when to change, in whole milliseconds
   * @param allowMayForget whether to use a store that may lose the change
   * @return the change as it would be
   * @throws IllegalArgumentException if the layouts can issue the same ID, the time is not past
   *     every window and block, or the new layout does not have it
   * @throws IllegalStateException if another change is under way, a process of an earlier version
   *     holds a worker ID, the namespace has a watermark, or the store has to settle
   * @throws UnsupportedOperationException if the store may forget and that was not allowed, or its
   *     scan is not current and the layouts have more than 4,096 worker IDs
   */
  public Plan check(IdLayout to, Instant at, boolean allowMayForget) {
    NamespaceView view = look();
    Next next = new Next(to, Require.wholeMillis("at", at), State.PROPOSED, "");
    Layouts layouts = checks.proposed(view, next, allowMayForget);
    checks.requireRegisters(layouts, view.binding());
    return plan(layouts, next);
  }

  /**
   * Changes the layout: proposes the change, checks the registers of all workers, and fixes it. If
   * the checks fail, the proposal is withdrawn. If the store fails, call it again: until then a
   * proposal may remain, at whose time all processes stop. Parameters and refusals are those of
   * {@link #check}.
   *
   * @return the change, which is fixed
   * @throws StoreException if the store does not report the outcome of a write
   */
  public Plan apply(IdLayout to, Instant at, boolean allowMayForget) {
    var unused = check(to, at, allowMayForget); // so that a refusal writes nothing
    Next next = new Next(to, at.toEpochMilli(), State.PROPOSED, RecordText.nonce(time));
    NamespaceView proposed = write("", view -> checks.proposed(view, next, allowMayForget));
    try {
      checks.requireRegisters(proposed.layouts(), proposed.binding());
    } catch (RuntimeException e) {
      withdraw(next, e);
      throw e;
    }
    Next fixed = next.with(State.FIXED, RecordText.nonce(time));
    NamespaceView after = write(proposed.mark(), view -> withOwn(view, next, fixed));
    return plan(after.layouts(), fixed);
  }

  /**
   * Withdraws a proposal whose checks failed. No process begins with a proposal, whatever the mark.
   */
  private void withdraw(Next proposal, RuntimeException failure) {
    try {
      var unused = write("", view -> withOwn(view, proposal, null));
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Calls a change off, which must not have come into force: no process may have a window of the
   * new layout. A process takes one in the half of its window before the time.
   *
   * @return the change that was called off
   * @throws IllegalStateException if there is none, or it is too late
   * @throws StoreException if the store does not report the outcome of a write
   */
  public Plan callOff() {
    NamespaceView seen = look();
    Next next = seen.layouts().next();
    if (next == null) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " has no change of layout ahead; there is none to call off");
    }
    if (!seen.layouts().isChanging(seen.nowMillis())) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " has layout "
              + next.layout()
              + " since "
              + Instant.ofEpochMilli(next.fromMillis())
              + ", and a change in force can't be called off; change the layout again");
    }
    if (next.state() == State.PROPOSED) { // no process began with the new layout
      var unused = write(seen.mark(), view -> withOwn(view, next, null));
    } else {
      recall(seen.mark(), next);
    }
    return plan(seen.layouts(), next);
  }

  private void recall(String mark, Next fixed) {
    Next recalled = fixed.with(State.RECALLED, RecordText.nonce(time));
    NamespaceView view = write(mark, each -> withOwn(each, fixed, recalled));
    // Now no process begins with the new layout; one that has begun is in a register, with that
    // layout.
    // Times of the current layout past the change were cut off, and are its own again.
    Optional<Register> past =
        checks.latestPast(
            recalled, view.layouts(), view.binding(), view.layouts().current().toString());
    if (past.isPresent()) {
      Next again = fixed.with(State.FIXED, RecordText.nonce(time));
      var unused = write(view.mark(), each -> withOwn(each, recalled, again));
      throw new IllegalStateException(
          "The change of namespace "
              + namespace.name()
              + " at "
              + Instant.ofEpochMilli(fixed.fromMillis())
              + " can't be called off any more: worker "
              + namespace.workerOf(past.get())
              + " has times up to "
              + Instant.ofEpochMilli(WorkerRecord.parse(past.get()).fenceMillis())
              + "; change the layout again after it");
    }
    var unused = write(view.mark(), each -> withOwn(each, recalled, null));
  }

  // Reading and writing the register of the namespace.

  private NamespaceView look() {
    return namespace.look().orElseThrow(namespace::unknown);
  }

  /**
   * Writes the layouts until that is acknowledged, and returns what was written.
   *
   * @param mark the mark under which the registers were read; empty for the current one
   */
  private NamespaceView write(String mark, Step next) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      NamespaceView view = look();
      if (!mark.isEmpty() && !mark.equals(view.mark())) {
        throw new StoreException(
            "Store " + store + " was started, promoted or restored meanwhile; try again");
      }
      NamespaceRecord record = view.record().withLayouts(next.apply(view));
      WriteResult written =
          namespace.write(
              view.register().name(), view.register().version(), record.text(), view.binding());
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return view.with(record);
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the change of layout");
  }

  /** Returns the layouts to write in place of those that were read. */
  private interface Step {
    Layouts apply(NamespaceView view);
  }

  /** Returns the layouts with another state of a change, if no other process has written one. */
  private Layouts withOwn(NamespaceView view, Next own, @Nullable Next wanted) {
    Next stands = view.layouts().next();
    boolean written = Objects.equals(stands, wanted); // and the reply was lost
    if (!written && !own.equals(stands)) {
      throw new IllegalStateException(
          "Another process has written a change of layout of namespace "
              + namespace.name()
              + ", which has one at a time; look at it with firn layout show");
    }
    return view.layouts().withNext(wanted);
  }

  private static Plan plan(Layouts layouts, Next next) {
    IdLayout from = layouts.current();
    IdLayout to = next.layout();
    Instant at = Instant.ofEpochMilli(next.fromMillis());
    return new Plan(from, to, at, next.fixed(), grows(from, to, at));
  }

  /** Returns whether every ID of the one layout before a time is smaller than those after it. */
  private static boolean grows(IdLayout from, IdLayout to, Instant at) {
    boolean byTime =
        from.fields().get(0).kind() == Kind.TIME && to.fields().get(0).kind() == Kind.TIME;
    Instant last = at.minus(Duration.ofMillis(1));
    return byTime
        && !last.isBefore(from.epoch())
        && last.isBefore(from.expiresAt())
        && Long.compareUnsigned(from.maxId(last), to.minId(at)) < 0;
  }

  @Override
  public String toString() {
    return "change of layout of " + namespace.name() + " in " + store;
  }
}
