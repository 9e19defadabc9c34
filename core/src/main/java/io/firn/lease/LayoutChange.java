package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdSpace;
import io.firn.WorkerSet;
import io.firn.internal.RecordText;
import io.firn.lease.Layouts.Next;
import io.firn.lease.Layouts.Past;
import io.firn.lease.Layouts.State;
import io.firn.lease.NamespaceRecord.Settling;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
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
  private final Namespace namespace;
  private final TimeSource time;

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

  private LayoutChange(RegisterStore store, Namespace namespace) {
    this.store = store;
    this.namespace = namespace;
    time = namespace.time();
  }

  /**
   * Returns the change of a namespace.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   */
  public static LayoutChange of(RegisterStore store, String namespace) {
    return of(store, Namespace.of(store, namespace));
  }

  static LayoutChange of(RegisterStore store, Namespace namespace) {
    return new LayoutChange(store, namespace);
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
    Map<String, String> byRegister = new HashMap<>();
    names.forEach(name -> byRegister.put(Namespace.of(store, name).layoutRegister(), name));
    if (byRegister.isEmpty()) {
      return plans;
    }
    for (Register register : store.readAll(List.copyOf(byRegister.keySet()))) {
      Layouts layouts = NamespaceRecord.parse(register).layouts();
      Next next = layouts.next();
      if (next != null) {
        plans.put(Objects.requireNonNull(byRegister.get(register.name())), plan(layouts, next));
      }
    }
    return plans;
  }

  /** What was read at one moment, and what a write is bound to. */
  private record View(
      Register register, NamespaceRecord record, long nowMillis, @Nullable Binding binding) {

    Layouts layouts() {
      return record.layouts();
    }

    String mark() {
      Settling settling = record.settling();
      return settling == null ? "" : settling.nonce();
    }
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
    View view = look();
    Next next = new Next(to, at.toEpochMilli(), State.PROPOSED, "");
    Layouts layouts = proposed(view, next, allowMayForget);
    checkRegisters(layouts, view.binding());
    return plan(layouts, next);
  }

  /**
   * Changes the layout: proposes the change, checks the registers of all workers, and fixes it. If
   * the checks fail, the proposal is withdrawn. If the store fails, call it again: until then a
   * proposal may stand, at whose time all processes stop. Parameters and refusals are those of
   * {@link #check}.
   *
   * @return the change, which is fixed
   * @throws StoreException if the store does not report the outcome of a write
   */
  public Plan apply(IdLayout to, Instant at, boolean allowMayForget) {
    var unused = check(to, at, allowMayForget); // so that a refusal writes nothing
    Next next = new Next(to, at.toEpochMilli(), State.PROPOSED, RecordText.nonce(time));
    View proposed = write("", view -> proposed(view, next, allowMayForget));
    try {
      checkRegisters(proposed.layouts(), proposed.binding());
    } catch (IllegalArgumentException | IllegalStateException e) {
      var unusedView = write(proposed.mark(), view -> withOwn(view, next, null));
      throw e;
    }
    Next fixed = next.with(State.FIXED, RecordText.nonce(time));
    View after = write(proposed.mark(), view -> withOwn(view, next, fixed));
    return plan(after.layouts(), fixed);
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
    View seen = look();
    Next next = seen.layouts().next();
    if (next == null) {
      throw new IllegalStateException(
          "namespace: " + namespace.name() + " (expected: one whose layout is being changed)");
    }
    if (!seen.layouts().isChanging(seen.nowMillis())) {
      throw new IllegalStateException(
          "namespace "
              + namespace.name()
              + " has layout "
              + next.layout()
              + " since "
              + Instant.ofEpochMilli(next.fromMillis())
              + " (expected: a change that is ahead; change the layout again)");
    }
    if (next.state() == State.PROPOSED) { // nobody began with the new layout
      var unused = write(seen.mark(), view -> withOwn(view, next, null));
    } else {
      recall(seen.mark(), next);
    }
    return plan(seen.layouts(), next);
  }

  private void recall(String mark, Next fixed) {
    Next recalled = fixed.with(State.RECALLED, RecordText.nonce(time));
    View view = write(mark, each -> withOwn(each, fixed, recalled));
    // Now nobody begins with the new layout; whoever has begun is in a register, with that layout.
    // Times of the current layout past the change were cut off, and are its own again.
    try {
      requireNoFencePast(
          recalled, view.layouts(), view.binding(), view.layouts().current().toString());
    } catch (IllegalArgumentException e) {
      Next again = fixed.with(State.FIXED, RecordText.nonce(time));
      var unused = write(view.mark(), each -> withOwn(each, recalled, again));
      throw new IllegalStateException(
          "The change of namespace "
              + namespace.name()
              + " can't be called off any more: "
              + e.getMessage(),
          e);
    }
    var unused = write(view.mark(), each -> withOwn(each, recalled, null));
  }

  // Reading and writing the register of the namespace.

  private View look() {
    String name = namespace.layoutRegister();
    Optional<Snapshot> snapshot = store.snapshot(List.of(name));
    if (snapshot.isEmpty()) {
      long now = store.currentTimeMillis().orElseGet(time::currentTimeMillis);
      Register register = store.read(name).orElseThrow(this::unknown);
      return new View(register, NamespaceRecord.parse(register), now, null);
    }
    Snapshot read = snapshot.get();
    Register register = read.register(name).orElseThrow(this::unknown);
    Binding binding = new Binding(read.identity(), name, register.version());
    return new View(register, NamespaceRecord.parse(register), read.timeMillis(), binding);
  }

  private IllegalArgumentException unknown() {
    return new IllegalArgumentException(
        "namespace: "
            + namespace.name()
            + " (expected: one that a generator has used in "
            + store
            + ")");
  }

  /**
   * Writes the layouts until that is acknowledged, and returns what was written.
   *
   * @param mark the mark under which the registers were read; empty if whichever stands
   */
  private View write(String mark, Step next) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      View view = look();
      if (!mark.isEmpty() && !mark.equals(view.mark())) {
        throw new StoreException(
            "Store " + store + " was started, promoted or restored meanwhile; try again");
      }
      NamespaceRecord record = view.record().withLayouts(next.apply(view));
      WriteResult written =
          namespace.write(
              view.register().name(), view.register().version(), record.text(), view.binding());
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return new View(view.register(), record, view.nowMillis(), view.binding());
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the change of layout");
  }

  /** Returns the layouts to write in place of those that were read. */
  private interface Step {
    Layouts apply(View view);
  }

  /** Returns the layouts with another state of a change, if nobody else has written one. */
  private Layouts withOwn(View view, Next own, @Nullable Next wanted) {
    Next stands = view.layouts().next();
    boolean written = Objects.equals(stands, wanted); // and the reply was lost
    if (!written && !own.equals(stands)) {
      throw new IllegalStateException(
          "namespace: "
              + namespace.name()
              + " (expected: one change of layout at a time; another process has written one)");
    }
    return view.layouts().withNext(wanted);
  }

  // Checks.

  private Layouts proposed(View view, Next next, boolean allowMayForget) {
    requireStore(view, allowMayForget);
    Layouts layouts = view.layouts().settled(view.nowMillis());
    Next stands = layouts.next();
    if (stands != null && stands.state() != State.PROPOSED) {
      throw new IllegalStateException(
          "namespace "
              + namespace.name()
              + " changes to "
              + stands.layout()
              + " at "
              + Instant.ofEpochMilli(stands.fromMillis())
              + " (expected: no other change ahead; firn layout cancel calls it off)");
    }
    requireTimes(layouts, next, view.nowMillis());
    requireDisjoint(layouts, next);
    return layouts.withNext(next);
  }

  private void requireStore(View view, boolean allowMayForget) {
    if (view.record().homes().areRecorded()) {
      throw new IllegalStateException(
          "namespace: "
              + namespace.name()
              + " (expected: one without home datacenters, whose other stores would not see the"
              + " change)");
    }
    if (store.mayForget() && !allowMayForget) {
      throw new UnsupportedOperationException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged; this one may lose the change, and"
              + " processes then go on in the old layout)");
    }
    if (store.mayForget() && view.binding() == null) {
      throw new UnsupportedOperationException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged, or has an identity)");
    }
    Binding binding = view.binding();
    Settling mark = view.record().settling();
    if (binding != null
        && (mark == null
            || !mark.identity().equals(binding.identity())
            || mark.sinceMillis().isEmpty()
            || mark.settledAtMillis() > view.nowMillis())) {
      throw new IllegalStateException(
          "store "
              + store
              + " was started, promoted or restored (expected: the settling time of namespace "
              + namespace.name()
              + " to end, for a worker may have a holder that the store forgot)");
    }
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
  private void checkRegisters(Layouts layouts, @Nullable Binding binding) {
    Next next = layouts.next();
    if (next == null) {
      return;
    }
    if (store.read(namespace.watermarkRegister()).isPresent()) {
      throw new IllegalStateException(
          "namespace: "
              + namespace.name()
              + " (expected: one without a watermark, whose readers take IDs for growing)");
    }
    for (Register register : registers(layouts, binding)) {
      WorkerRecord record = WorkerRecord.parse(register);
      if (record.held() && record.layout().isEmpty()) {
        throw new IllegalStateException(
            "worker "
                + namespace.workerOf(register)
                + " of "
                + namespace.name()
                + " is held by "
                + record.holder()
                + ", process "
                + record.pid()
                + " (expected: processes of this version, which see a change; release it once that"
                + " process has ended)");
      }
      if (record.reserved() && record.fenceMillis() > next.fromMillis()) {
        requireDisjoint(layouts, namespace.workerOf(register), record, next);
      }
    }
    requireNoFencePast(next, layouts, binding, "");
  }

  private static long workers(Layouts layouts) {
    Next next = layouts.next();
    long workers = layouts.current().workers();
    for (Past past : layouts.past()) { // a worker may be reserved in each of them
      workers = Math.max(workers, past.layout().workers());
    }
    return next == null ? workers : Math.max(workers, next.layout().workers());
  }

  /** Returns the registers of all workers, in the store whose namespace was read or written. */
  private List<Register> registers(Layouts layouts, @Nullable Binding binding) {
    return namespace
        .workerRegisters(workers(layouts), binding)
        .orElseThrow(
            () ->
                new StoreException(
                    "Store "
                        + store
                        + " answered as two stores, as while another primary takes over; try"
                        + " again"));
  }

  /**
   * Checks the fences of all workers.
   *
   * @param except the layout whose records are not checked; empty for none
   */
  private void requireNoFencePast(
      Next next, Layouts layouts, @Nullable Binding binding, String except) {
    Register latest = null;
    long fence = next.fromMillis();
    for (Register register : registers(layouts, binding)) {
      WorkerRecord record = WorkerRecord.parse(register);
      boolean excepted = !except.isEmpty() && record.layout().equals(except);
      if (!record.reserved() && !excepted && record.fenceMillis() > fence) {
        latest = register;
        fence = record.fenceMillis();
      }
    }
    if (latest != null) {
      throw new IllegalArgumentException(
          "at: "
              + Instant.ofEpochMilli(next.fromMillis())
              + " (expected: "
              + Instant.ofEpochMilli(fence)
              + " or later, worker "
              + namespace.workerOf(latest)
              + " of "
              + namespace.name()
              + " has times up to there)");
    }
  }

  /**
   * Refuses a reservation whose system may issue an ID of the new layout. It issues IDs of the
   * layout that the worker was reserved in, whatever the namespace has changed to since.
   */
  private void requireDisjoint(Layouts layouts, long worker, WorkerRecord record, Next next) {
    boolean recorded = !record.layout().isEmpty();
    IdLayout layout = recorded ? IdLayout.of(record.layout()) : layouts.current();
    if (worker >= layout.workers()) { // an earlier version wrote it, before another change
      throw new IllegalStateException(
          "worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + record.holder()
              + " in a layout that is not recorded (expected: one that is, or a worker of layout "
              + layout
              + "; release it once its system has ended)");
    }
    IdSpace reserved = IdSpace.of(layout).withWorkers(WorkerSet.of(LongStream.of(worker)));
    if (record.fenceMillis() != WorkerRecord.NEVER_MILLIS) {
      reserved = reserved.until(Instant.ofEpochMilli(record.fenceMillis()));
    }
    OptionalLong common = reserved.common(from(next));
    if (common.isPresent()) {
      throw new IllegalStateException(
          "worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + record.holder()
              + " past "
              + Instant.ofEpochMilli(next.fromMillis())
              + " (expected: a reservation that ends by then, for its system and layout "
              + next.layout()
              + " can both issue "
              + Long.toUnsignedString(common.getAsLong())
              + ")");
    }
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
