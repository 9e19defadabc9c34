package io.firn.lease;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.Require;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
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
 * One family of IDs in a register store, as operators see and change it: its layout, its mark and
 * its worker IDs. A process with another layout is refused, because mixed layouts collide.
 */
public final class Namespace {

  static final Duration MAX_SETTLE_TIME = Duration.ofDays(1);

  /**
   * The record that is written when the store may have lost writes, and what its processes agreed
   * for that.
   *
   * @param since when it was written, by the store's clock
   * @param settleTime how long after that no window of a new process begins
   * @param afterLoss what new processes do until then
   */
  public record Mark(Instant since, Duration settleTime, AfterLoss afterLoss) {
    /** Returns until when new processes lead or wait. */
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
  private final NamespaceRegisters registers;

  private Namespace(NamespaceRegisters registers) {
    store = registers.store();
    this.registers = registers;
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
    return new Namespace(new NamespaceRegisters(store, name, time));
  }

  NamespaceRegisters registers() {
    return registers;
  }

  /** Returns its name. */
  public String name() {
    return registers.name();
  }

  /**
   * Returns the layout that was recorded at its first use, or the one that it has changed to by
   * now; empty before its first use.
   */
  public Optional<IdLayout> layout() {
    return registers.look().map(view -> view.layouts().at(view.nowMillis()));
  }

  /**
   * Returns the home datacenters of the namespace in this store; an empty set if none are recorded,
   * and every worker may be leased here.
   */
  public WorkerSet homes() {
    return store
        .read(registers.layoutRegister())
        .map(NamespaceRegisters::homesIn)
        .orElse(Homes.NONE)
        .datacenters();
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
   *     call, the homes are recorded nevertheless: repeat it once the process has ended. Also if a
   *     datacenter is given up within the settling time after a loss of the store
   * @throws UnsupportedOperationException if a scan of the store may be stale, and the layout has
   *     more than 4,096 worker IDs
   * @throws StoreException if the store does not report the outcome, or answers as two stores
   */
  public void recordHomes(WorkerSet datacenters) {
    new HomeChange(registers, datacenters).write();
  }

  /** Returns the mark; empty if there is none, as where the store has no identity. */
  public Optional<Mark> mark() {
    return store.read(registers.layoutRegister()).flatMap(Namespace::markIn);
  }

  /**
   * Returns the marks of several namespaces, in one call of the store where that can.
   *
   * @param names their names
   * @return the marks by namespace; none for one that has none
   */
  public static SortedMap<String, Mark> marks(RegisterStore store, Collection<String> names) {
    SortedMap<String, Mark> marks = new TreeMap<>();
    for (Register register : NamespaceRegisters.layoutRegisters(store, names)) {
      String name = NamespaceRegisters.namespaceOf(register.name());
      markIn(register).ifPresent(mark -> marks.put(name, mark));
    }
    return marks;
  }

  static Optional<Mark> markIn(Register register) {
    return Optional.ofNullable(NamespaceRecord.parse(register).mark())
        .filter(mark -> mark.sinceMillis().isPresent())
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
   * Changes what new processes do after a loss, and writes a new mark with it. For use while no
   * process has a worker ID: first give all processes that {@link LeaseConfig.Builder#afterLoss},
   * and stop them.
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
    return new MarkChange(registers, agreement, null).write();
  }

  /**
   * Writes a new mark, as a process does that finds another identity of the store. Call it after an
   * older state of the store was restored, which may keep the identity: no window of a new process
   * begins before the settling time is over.
   *
   * @return the mark; empty if the namespace has none: its next process writes one
   * @throws ClockSkewException if this process's clock is over 5 s from the store's
   * @throws UnsupportedOperationException if the store has no identity
   */
  public Optional<Mark> renewMark() {
    return new MarkChange(registers, null, null).write();
  }

  static Mark markOf(MarkRecord mark) {
    return new Mark(
        Instant.ofEpochMilli(mark.sinceMillis().orElseThrow()),
        Duration.ofMillis(mark.settleMillis()),
        mark.afterLoss());
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
    return registers.entry(new WorkerRelease(registers, worker, null).write());
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
   * is never raised, and a holder whose fence would stay keeps its worker ID: the caller may mean a
   * reservation that has ended. The record keeps the old fence, as {@code loweredFrom}, until the
   * worker ID is leased again.
   *
   * @param issuedBefore no ID of this worker at or past this time was issued, which is rounded up
   *     to a millisecond; at most its fence, where it is reserved at most a day past the clock
   * @return the worker ID as it is now; it is free from its fence on
   * @throws IllegalArgumentException if it was never leased, the time is later than that, or it is
   *     leased with a fence that is not lowered by this
   */
  public WorkerEntry release(long worker, Instant issuedBefore) {
    return registers.entry(new WorkerRelease(registers, worker, issuedBefore).write());
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
            .mapToObj(worker -> new WorkerRelease(registers, worker, issuedBefore))
            .toList();
    releases.forEach(WorkerRelease::check);
    return releases.stream().map(release -> registers.entry(release.write())).toList();
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
   * @param until the end of ID time of the other system, rounded up to a millisecond; {@link
   *     WorkerEntry#NEVER} if it has none
   * @param allowMayForget whether to write to a store that may lose the reservation
   * @return the worker ID as it is now
   * @throws IllegalArgumentException if the layout has no such worker ID, has ended or has not
   *     begun, or the end is past
   * @throws IllegalStateException if it is not free; the holder is named
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws UnsupportedOperationException if the store may forget and that was not allowed
   */
  public WorkerEntry reserve(
      long worker, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    WorkerReservation reservation =
        new WorkerReservation(registers, layout, by, until, allowMayForget);
    return registers.entry(reservation.write(worker));
  }

  /**
   * Reserves worker IDs as {@link #reserve(long, IdLayout, String, Instant, boolean)} does: all, or
   * none if one of them is refused. A failure of the store, or a lease that comes in between, may
   * leave some of them; then call it again.
   *
   * @return the worker IDs as they are now
   * @throws IllegalArgumentException if the layout lacks one of them, has ended or has not begun,
   *     or the end is past
   * @throws IllegalStateException if one is not free; the holder is named
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws UnsupportedOperationException if the store may forget and that was not allowed
   */
  public List<WorkerEntry> reserve(
      WorkerSet workers, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    WorkerReservation reservation =
        new WorkerReservation(registers, layout, by, until, allowMayForget);
    reservation.check(workers);
    return workers.stream().mapToObj(worker -> registers.entry(reservation.write(worker))).toList();
  }

  /**
   * Checks what {@link #reserve(WorkerSet, IdLayout, String, Instant, boolean)} would refuse, and
   * writes nothing. Throws what that throws.
   */
  public void checkReservable(
      WorkerSet workers, IdLayout layout, String by, Instant until, boolean allowMayForget) {
    new WorkerReservation(registers, layout, by, until, allowMayForget).check(workers);
  }

  /** Returns every worker ID that was ever leased in it, in ascending order. */
  public List<WorkerEntry> workers() {
    return List.copyOf(Objects.requireNonNull(workers(store, List.of(name())).get(name())));
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
    Map<String, NamespaceRegisters> byPrefix = new HashMap<>();
    for (String name : names) {
      NamespaceRegisters namespace = of(store, name).registers;
      workers.put(name, new ArrayList<>());
      byPrefix.put(namespace.workerPrefix(), namespace);
    }
    Map<String, IdLayout> layouts = new HashMap<>();
    if (!byPrefix.isEmpty()) {
      for (Register register : store.scan(commonPrefix(byPrefix.keySet()))) {
        int end = register.name().lastIndexOf('/') + 1;
        NamespaceRegisters namespace = byPrefix.get(register.name().substring(0, end));
        if (namespace != null) {
          Objects.requireNonNull(workers.get(namespace.name()))
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
    return NamespaceRegisters.namespaces(store.scan(""));
  }
}
