package io.firn.lease;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One family of IDs in a register store: the names of its registers, and the register of its
 * layout. A process with another layout is refused, because mixed layouts collide.
 */
public final class Namespace {

  /** The registers that are read at once. */
  private static final int BATCH = 256;

  /** Each is read where a scan is not current. */
  private static final int MAX_WORKERS_TO_READ = 4_096;

  private static final String LAYOUT = "/layout";
  private static final Duration MAX_SETTLE_TIME = Duration.ofDays(1);

  /**
   * The record that is written when the store may have lost writes, and what its processes agreed
   * for that.
   *
   * @param since when it was written, by the store's clock
   * @param settleTime how long after that no window of a newcomer begins
   * @param afterLoss what newcomers do until then
   */
  public record Mark(Instant since, Duration settleTime, AfterLoss afterLoss) {
    /** Returns until when newcomers lead or wait. */
    public Instant settledAt() {
      return since.plus(settleTime);
    }

    /** Returns whether a holder's IDs lead the clock because of this mark. */
    public boolean leads(WorkerEntry holder, Instant now) {
      return holder.held()
          && now.isBefore(settledAt())
          && holder.since().filter(begin -> !begin.isBefore(settledAt())).isPresent();
    }
  }

  private final RegisterStore store;
  private final String name;

  private final TimeSource time;

  private Namespace(RegisterStore store, String name, TimeSource time) {
    this.store = store;
    this.name = name;
    this.time = time;
  }

  /**
   * Returns the namespace of a name; it need not exist yet.
   *
   * @param name 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   */
  public static Namespace of(RegisterStore store, String name) {
    return of(store, name, TimeSource.system());
  }

  /**
   * Returns the namespace of a name, which reads that clock where the store has none.
   *
   * @param name 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   */
  public static Namespace of(RegisterStore store, String name, TimeSource time) {
    return new Namespace(store, Require.name("namespace", name), time);
  }

  TimeSource time() {
    return time;
  }

  /** Returns the store's clock; this process's where the store has none. */
  long nowMillis() {
    return store.currentTimeMillis().orElseGet(time::currentTimeMillis);
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /**
   * Returns the layout that was recorded at its first use, or the one that it has changed to by
   * now; empty before its first use.
   */
  public Optional<IdLayout> layout() {
    return store
        .read(layoutRegister())
        .map(register -> NamespaceRecord.parse(register).layouts().at(time.currentTimeMillis()));
  }

  /**
   * Returns the home datacenters of the namespace in this store; an empty set if none are recorded,
   * and every worker may be leased here.
   */
  public WorkerSet homes() {
    return store.read(layoutRegister()).map(Namespace::homesIn).orElse(Homes.NONE).datacenters();
  }

  /**
   * Records the home datacenters of the namespace in this store: only their workers are leased here
   * from then on, and taken for blocks. Where none were recorded, no process may have a worker ID
   * meanwhile. A datacenter that is given up must have been idle for the settling time, or 5 s
   * where the store has no identity: then another store may have it, if the clocks of both and of
   * all processes differ by less. With a larger {@link LeaseConfig.Builder#maxClockSkew}, wait for
   * that much longer before another store has it.
   *
   * @param datacenters all of them, at least one; those of no other store of this namespace
   * @throws IllegalArgumentException if the layout has not all of them, or the namespace is not
   *     there
   * @throws IllegalStateException if a worker is in use; it is named. If it was leased during this
   *     call, the homes are recorded nevertheless: repeat it once the process has ended
   * @throws StoreException if the store does not report the outcome
   */
  public void recordHomes(WorkerSet datacenters) {
    new HomeChange(store, this, datacenters).write();
  }

  /** Returns the mark; empty if there is none, as where the store has no identity. */
  public Optional<Mark> mark() {
    return store.read(layoutRegister()).flatMap(Namespace::markIn);
  }

  /**
   * Returns the marks of several namespaces, in one call of the store where that can.
   *
   * @param names their names
   * @return the marks by namespace; none for one that has none
   */
  public static SortedMap<String, Mark> marks(RegisterStore store, Collection<String> names) {
    SortedMap<String, Mark> marks = new TreeMap<>();
    if (!names.isEmpty()) {
      List<String> registers =
          names.stream().map(name -> of(store, name).layoutRegister()).toList();
      for (Register register : store.readAll(registers)) {
        String name = register.name().substring(0, register.name().length() - LAYOUT.length());
        markIn(register).ifPresent(mark -> marks.put(name, mark));
      }
    }
    return marks;
  }

  private static Optional<Mark> markIn(Register register) {
    return Optional.ofNullable(NamespaceRecord.parse(register).settling())
        .filter(settling -> settling.sinceMillis().isPresent())
        .map(Namespace::markOf);
  }

  /**
   * Changes the settling time, and writes a new mark with it. For use while no process has a worker
   * ID: first give all processes a {@link LeaseConfig.Builder#settleTime} of at least that, and
   * stop them. To lower it, all IDs that were issued must be in the past too, and the settling time
   * since the last mark over.
   *
   * @param settleTime another one than it is, up to 1 day
   * @return the mark; empty if the namespace has none: its first process sets the settling time
   * @throws IllegalArgumentException if it is what it is
   * @throws IllegalStateException if a worker ID is leased, or was within the settling time; where
   *     it is lowered, also if IDs lead the clock, or the last mark is younger than that
   * @throws ClockSkewException if this process's clock is over 5 s from the store's
   * @throws UnsupportedOperationException if the store has no identity
   */
  public Optional<Mark> changeSettleTime(Duration settleTime) {
    Require.inRange("settleTime", Duration.ZERO, MAX_SETTLE_TIME, settleTime);
    return change(
        new MarkChange.Agreement(OptionalLong.of(settleTime.toMillis()), Optional.empty()));
  }

  /**
   * Changes what newcomers do after a loss, and writes a new mark with it. For use while no process
   * has a worker ID: first give all processes that {@link LeaseConfig.Builder#afterLoss}, and stop
   * them.
   *
   * @return the mark; empty if the namespace has none: its first process decides
   * @throws IllegalArgumentException if it is what it is
   * @throws IllegalStateException if a worker ID is leased, or was within the settling time, or IDs
   *     lead the clock, or the last mark is younger than the settling time
   * @throws ClockSkewException if this process's clock is over 5 s from the store's
   * @throws UnsupportedOperationException if the store has no identity
   */
  public Optional<Mark> changeAfterLoss(AfterLoss afterLoss) {
    return change(new MarkChange.Agreement(OptionalLong.empty(), Optional.of(afterLoss)));
  }

  private Optional<Mark> change(MarkChange.Agreement agreement) {
    return new MarkChange(store, this, agreement, null).write();
  }

  /**
   * Writes a new mark, as a process does that finds another identity of the store. Call it after an
   * older state of the store was restored, which may keep the identity: no window of a newcomer
   * begins before the settling time is over.
   *
   * @return the mark; empty if the namespace has none: its next process writes one
   * @throws ClockSkewException if this process's clock is over 5 s from the store's
   * @throws UnsupportedOperationException if the store has no identity
   */
  public Optional<Mark> renewMark() {
    return renewMark(null);
  }

  /**
   * Writes a new mark in the store of that identity.
   *
   * @param identity null for the store that answers first
   * @throws StoreException if another one answers
   */
  Optional<Mark> renewMark(@Nullable String identity) {
    return new MarkChange(store, this, null, identity).write();
  }

  static Mark markOf(Settling settling) {
    return new Mark(
        Instant.ofEpochMilli(settling.sinceMillis().orElseThrow()),
        Duration.ofMillis(settling.settleMillis()),
        settling.afterLoss());
  }

  /**
   * Takes a worker ID from its holder, for an operator. Its fence is unchanged, so this is safe if
   * the holder lives: the holder continues to that fence at most, finds out at its next renewal,
   * and leases another worker ID.
   *
   * @return the worker ID as it is now; it is free from its fence on
   * @throws IllegalArgumentException if it was never leased, was released, or is reserved
   */
  public WorkerEntry release(long worker) {
    return entry(new WorkerRelease(store, this, worker, null).write());
  }

  /**
   * Takes worker IDs from their holders as {@link #release(long)} does: all, or none if one of them
   * is refused. A failure of the store may leave some of them; then call it again.
   *
   * @return the worker IDs as they are now
   * @throws IllegalArgumentException if one was never leased, was released, or is reserved
   */
  public List<WorkerEntry> release(WorkerSet workers) {
    return releaseAll(workers, null);
  }

  /**
   * Takes a worker ID from its holder as {@link #release(long)} does, or one that was released, and
   * lowers its fence. A wrong clock may have moved that far ahead, and the worker ID is not free
   * before its fence.
   *
   * <p>One that is {@linkplain #reserve reserved} is freed for leases. The new fence is {@code
   * issuedBefore}, or 5 s past the clock if that is later, and the reservation ends there: the
   * other system must issue no ID with this worker ID any more, and none that it issued may have a
   * later time. This can be repeated.
   *
   * <p><b>If this is used wrongly, IDs are issued twice.</b> The holder must have ended: one that
   * is stopped, or cut off from the store, continues in its old window when it wakes up. And every
   * ID that it issued must be from before {@code issuedBefore}. The new fence is that, or one
   * window and 5 s past the store's clock (this process's, if the store has none) if that is later,
   * with the settling time where the store has an identity; it is past every block of IDs. A fence
   * is never raised. The record keeps the old fence, as {@code loweredFrom}, until the worker ID is
   * leased again.
   *
   * @param issuedBefore no ID of this worker at or past this time was issued; at most its fence,
   *     where it is reserved at most a day past the clock
   * @return the worker ID as it is now; it is free from its fence on
   * @throws IllegalArgumentException if it was never leased, or the time is later than that
   */
  public WorkerEntry release(long worker, Instant issuedBefore) {
    return entry(new WorkerRelease(store, this, worker, issuedBefore).write());
  }

  /**
   * Does what {@link #release(long, Instant)} does for several worker IDs: all, or none if one of
   * them is refused. A failure of the store may leave some of them; then call it again.
   *
   * @param issuedBefore no ID of these workers at or past this time was issued
   * @return the worker IDs as they are now
   * @throws IllegalArgumentException if one of them is refused
   */
  public List<WorkerEntry> release(WorkerSet workers, Instant issuedBefore) {
    return releaseAll(workers, issuedBefore);
  }

  private List<WorkerEntry> releaseAll(WorkerSet workers, @Nullable Instant issuedBefore) {
    List<WorkerRelease> releases =
        workers.stream()
            .mapToObj(worker -> new WorkerRelease(store, this, worker, issuedBefore))
            .toList();
    releases.forEach(WorkerRelease::check);
    return releases.stream().map(release -> entry(release.write())).toList();
  }

  /**
   * Reserves a worker ID for another system, whose processes have worker numbers of their own. No
   * lease takes it, pinned or not. Its fence is moved to the end of the reservation, so not even a
   * lease that began before comes back to it. To end it, call {@link #release(long, Instant)}.
   *
   * <p>A worker ID that is reserved for the same system already gets the later end of both.
   *
   * @param layout the layout of the namespace, recorded if that is new
   * @param by the other system: 1..100 visible ASCII characters and spaces
   * @param until the end of ID time of the other system; {@link WorkerEntry#NEVER} if it has none
   * @param allowMayForget whether to write to a store that may lose the reservation
   * @return the worker ID as it is now
   * @throws IllegalArgumentException if the layout has no such worker ID, or the end is past
   * @throws IllegalStateException if it is not free; the holder is named
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws UnsupportedOperationException if the store may forget and that was not allowed
   */
  public WorkerEntry reserve(
      long worker, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    WorkerReservation reservation =
        new WorkerReservation(store, this, layout, by, until, allowMayForget);
    return entry(reservation.write(worker));
  }

  /**
   * Reserves worker IDs as {@link #reserve(long, IdLayout, String, Instant, boolean)} does: all, or
   * none if one of them is refused. A failure of the store, or a lease that comes in between, may
   * leave some of them; then call it again.
   *
   * @return the worker IDs as they are now
   * @throws IllegalArgumentException if the layout lacks one of them, or the end is past
   * @throws IllegalStateException if one is not free; the holder is named
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws UnsupportedOperationException if the store may forget and that was not allowed
   */
  public List<WorkerEntry> reserve(
      WorkerSet workers, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    WorkerReservation reservation =
        new WorkerReservation(store, this, layout, by, until, allowMayForget);
    reservation.check(workers);
    return workers.stream().mapToObj(worker -> entry(reservation.write(worker))).toList();
  }

  /**
   * Checks what {@link #reserve(WorkerSet, IdLayout, String, Instant, boolean)} would refuse, and
   * writes nothing. Throws what that throws.
   */
  public void checkReservable(
      WorkerSet workers, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    new WorkerReservation(store, this, layout, by, until, allowMayForget).check(workers);
  }

  /** Returns every worker ID that was ever leased in it, in ascending order. */
  public List<WorkerEntry> workers() {
    return List.copyOf(Objects.requireNonNull(workers(store, List.of(name)).get(name)));
  }

  /**
   * Returns what {@link #workers()} does for several namespaces, with one scan of the store.
   *
   * @param names their names
   * @return the worker IDs by namespace, one entry for each name
   */
  public static SortedMap<String, List<WorkerEntry>> workers(
      RegisterStore store, Collection<String> names) {
    SortedMap<String, List<WorkerEntry>> workers = new TreeMap<>();
    Map<String, Namespace> byPrefix = new HashMap<>();
    for (String name : names) {
      Namespace namespace = of(store, name);
      workers.put(name, new ArrayList<>());
      byPrefix.put(namespace.workerPrefix(), namespace);
    }
    Map<String, IdLayout> layouts = new HashMap<>();
    if (!byPrefix.isEmpty()) {
      for (Register register : store.scan(commonPrefix(byPrefix.keySet()))) {
        int end = register.name().lastIndexOf('/') + 1;
        Namespace namespace = byPrefix.get(register.name().substring(0, end));
        if (namespace != null) {
          Objects.requireNonNull(workers.get(namespace.name))
              .add(namespace.entry(register, layouts));
        }
      }
    }
    workers.values().forEach(each -> each.sort(Comparator.comparingLong(WorkerEntry::worker)));
    return workers;
  }

  private static String commonPrefix(Collection<String> texts) {
    String first = Collections.min(texts);
    String last = Collections.max(texts);
    int end = 0;
    while (end < first.length() && end < last.length() && first.charAt(end) == last.charAt(end)) {
      end++;
    }
    return first.substring(0, end);
  }

  /** Returns the names of all namespaces of a store, in order. */
  public static List<String> names(RegisterStore store) {
    return store.scan("").stream()
        .map(Register::name)
        .filter(register -> register.endsWith(LAYOUT))
        .map(register -> register.substring(0, register.length() - LAYOUT.length()))
        .sorted()
        .toList();
  }

  WorkerEntry entry(Register register) {
    return entry(register, new HashMap<>());
  }

  /**
   * Reads a worker's register.
   *
   * @param layouts those that were parsed before, by their texts: most workers have the same
   */
  private WorkerEntry entry(Register register, Map<String, IdLayout> layouts) {
    WorkerRecord worker = WorkerRecord.parse(register);
    return new WorkerEntry(
        workerOf(register),
        worker.held(),
        worker.sinceMillis().stream().mapToObj(Instant::ofEpochMilli).findFirst(),
        Instant.ofEpochMilli(worker.fenceMillis()),
        worker.holder(),
        worker.pid(),
        worker.reserved(),
        worker.lowMillis().stream().mapToObj(Instant::ofEpochMilli).findFirst(),
        Optional.of(worker.layout())
            .filter(text -> !text.isEmpty() && !worker.reserved())
            .map(text -> layouts.computeIfAbsent(text, IdLayout::of)));
  }

  String workerRegister(long worker) {
    return workerPrefix() + worker;
  }

  /** Returns the worker of a register. */
  long workerOf(Register register) {
    try {
      return Long.parseLong(register.name().substring(workerPrefix().length()));
    } catch (NumberFormatException e) {
      throw RecordText.refused(register, "a worker ID behind " + workerPrefix());
    }
  }

  String workerPrefix() {
    return name + "/worker/";
  }

  String layoutRegister() {
    return name + LAYOUT;
  }

  /** Returns the name of the register that guards the commits of a worker's holder. */
  String guardRegister(long worker) {
    return name + "/guard/" + worker;
  }

  /** Returns the name of the register of the watermark and its floor. */
  String watermarkRegister() {
    return name + "/watermark";
  }

  /**
   * Returns the registers of all workers, each in its state at the call or later, of the store that
   * a binding names. A pool that has connections to an old and to a new primary may answer from
   * another store.
   *
   * @param workers how many there can be
   * @param binding what writes are bound to; null for a store without an identity
   * @return empty if the registers are those of another store; up to {@value #MAX_WORKERS_TO_READ}
   *     workers only, because a scan of more is not exact
   */
  Optional<List<Register>> workerRegisters(long workers, @Nullable Binding binding) {
    requireReadable(workers);
    if (store.isScanCurrent() && (binding == null || workers > MAX_WORKERS_TO_READ)) {
      return Optional.of(store.scan(workerPrefix()));
    }
    List<Register> read = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (long worker = 0; worker < workers; worker++) {
      names.add(workerRegister(worker));
      if (names.size() == BATCH || worker + 1 == workers) {
        Optional<List<Register>> batch = readAll(names, binding);
        if (batch.isEmpty()) {
          return Optional.empty();
        }
        read.addAll(batch.get());
        names.clear();
      }
    }
    return Optional.of(read);
  }

  private Optional<List<Register>> readAll(List<String> names, @Nullable Binding binding) {
    return binding == null
        ? Optional.of(store.readAll(names))
        : store
            .snapshot(names)
            .filter(read -> read.identity().equals(binding.identity()))
            .map(Snapshot::registers);
  }

  /** Refuses too many workers if a scan does not show the latest state of each. */
  void requireReadable(long workers) {
    if (!store.isScanCurrent() && workers > MAX_WORKERS_TO_READ) {
      throw new UnsupportedOperationException(
          "layout: "
              + workers
              + " worker IDs (expected: at most "
              + MAX_WORKERS_TO_READ
              + ", as a scan of "
              + store
              + " may be stale and each is read)");
    }
  }

  /** Writes a register, bound to what was read with it where the store has an identity. */
  WriteResult write(String register, long version, String text, @Nullable Binding binding) {
    return binding == null
        ? store.compareAndSet(register, version, text)
        : store.compareAndSet(register, version, text, binding);
  }

  /** Returns the register of a name out of those that were read. */
  static Optional<Register> find(String name, List<Register> read) {
    return read.stream().filter(register -> register.name().equals(name)).findFirst();
  }

  /** Returns the refusal of a namespace that is not there. */
  IllegalArgumentException unknown() {
    return new IllegalArgumentException(
        "namespace: "
            + name
            + " (expected: a namespace that a generator has used in "
            + store
            + ")");
  }

  /** Returns the refusal to write in one of two stores that answer by turns. */
  StoreException answeredAsTwo() {
    return new StoreException(
        "Store "
            + store
            + " answered as two stores, as while another primary takes over; try again");
  }

  StoreException unreported(int writes, String written) {
    return new StoreException(
        "Store "
            + store
            + " did not report the outcome of "
            + writes
            + " writes of "
            + written
            + " of namespace "
            + name);
  }

  /**
   * Returns its register as it is now.
   *
   * @return empty before its first use
   */
  Optional<NamespaceView> look() {
    Optional<Snapshot> snapshot = store.snapshot(List.of(layoutRegister()));
    if (snapshot.isEmpty()) {
      long now = nowMillis();
      return store.read(layoutRegister()).map(register -> view(register, now, null));
    }
    Snapshot read = snapshot.get();
    return read.register(layoutRegister())
        .map(register -> view(register, read.timeMillis(), binding(read, register)));
  }

  private static NamespaceView view(Register register, long nowMillis, @Nullable Binding binding) {
    return new NamespaceView(register, NamespaceRecord.parse(register), nowMillis, binding);
  }

  private static Binding binding(Snapshot read, Register register) {
    return new Binding(read.identity(), register.name(), register.version());
  }

  /**
   * Refuses a store that may lose what is written, unless that was allowed.
   *
   * @param consequence what may be lost, and what happens then
   */
  void requireKeeping(boolean allowMayForget, String consequence) {
    if (store.mayForget() && !allowMayForget) {
      throw new UnsupportedOperationException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged; this one may lose "
              + consequence
              + ")");
    }
  }

  /**
   * Returns the refusal of what needs to know every holder, while one may have been lost.
   *
   * @param settledAtMillis when the settling time ends; empty if its mark is not written yet
   */
  IllegalStateException unsettled(OptionalLong settledAtMillis) {
    return new IllegalStateException(
        "store "
            + store
            + " was started, promoted or restored (expected: the settling time of namespace "
            + name
            + " to end, for a worker may have a holder that the store forgot"
            + (settledAtMillis.isEmpty()
                ? ""
                : "; it does at " + Instant.ofEpochMilli(settledAtMillis.getAsLong()))
            + ")");
  }

  static Homes homesIn(Register register) {
    return NamespaceRecord.parse(register).homes();
  }

  /**
   * Checks a layout against the recorded one.
   *
   * @throws LayoutMismatchException if it is another one
   */
  void check(IdLayout layout, IdLayout recorded) {
    if (!recorded.equals(layout)) {
      throw new LayoutMismatchException(
          "layout: " + layout + " (expected: " + recorded + ", which namespace " + name + " has)");
    }
  }
}
