package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.internal.LeaseWindow;
import io.firn.lease.Layouts.Next;
import io.firn.lease.Layouts.Past;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The layout of the windows that one process takes in a namespace, which may change its layout. For
 * one thread at a time.
 *
 * <h2>Why no ID of the old layout is later than one of the new</h2>
 *
 * A change is first proposed in the register of the namespace. Then the registers of all workers
 * are read, and if no fence is past the time of the change, it is fixed. A process that takes a
 * window reads the register of the namespace after its write was applied, and before it uses the
 * window; where the store has an identity, the write is bound to that register. If the write came
 * first, its fence was seen, and a change at an earlier time is not fixed. Else the process sees
 * the proposal, and ends the window there. Windows of the new layout begin at that time or later,
 * and only once the change is fixed.
 */
final class LayoutWatch {

  private static final int MAX_ATTEMPTS = 5;

  /** A change that is nearer is waited for unasked. */
  private static final int MAX_WINDOWS_TO_WAIT = 4;

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final long windowMillis;
  private final TimeSource time;

  /** The layouts that this process may use. */
  private final List<IdLayout> known = new ArrayList<>();

  private final LayoutLog log;
  private volatile @Nullable Layouts seen;

  /** The layout of the records that are written. */
  private IdLayout layout;

  /** The layout of the windows that were granted. */
  private IdLayout granted;

  /**
   * Creates a watch that has seen nothing.
   *
   * @param layout the layout to begin with
   * @param next the layout to switch to if the namespace changes to it; null for none
   */
  LayoutWatch(LeaseConfig config, IdLayout layout, @Nullable IdLayout next, TimeSource time) {
    store = config.store();
    namespace = config.namespace();
    windowMillis = config.windowMillis();
    this.time = time;
    this.layout = layout;
    granted = layout;
    known.add(layout);
    if (next != null) {
      known.add(next);
    }
    log = new LayoutLog(namespace, known, time);
  }

  /** Returns the log lines about changes. */
  LayoutLog log() {
    return log;
  }

  /** Returns the layout of the windows that are taken now. */
  IdLayout layout() {
    return layout;
  }

  // What the register of the namespace says.

  /**
   * Records what was read.
   *
   * @throws LayoutMismatchException if the namespace has none of this process's layouts
   */
  void see(NamespaceRecord record) {
    Layouts read = record.layouts();
    boolean isNext = read.next() != null && known.contains(read.next().layout());
    if (!known.contains(read.current()) && !isNext) {
      throw unknown(read);
    }
    log.see(read);
    seen = read;
  }

  /** Records the register of the namespace as it was read; of nothing if that is not there. */
  void see(Optional<Register> register) {
    register.map(NamespaceRecord::parse).ifPresent(this::see);
  }

  /**
   * Records the layout if the namespace is new, or takes note of what it has.
   *
   * @param homes its home datacenters if it is new
   * @param read what was read of the namespace's register
   * @return its home datacenters
   */
  Homes claim(Homes homes, Optional<Register> read) {
    Optional<Register> register = read;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (register.isPresent()) {
        NamespaceRecord record = NamespaceRecord.parse(register.get());
        see(record);
        return record.homes();
      }
      WriteResult written = store.compareAndSet(namespace.layoutRegister(), 0, text(homes, null));
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return homes;
      }
      register = store.read(namespace.layoutRegister());
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the layout");
  }

  /** Returns the text of the namespace's register with the layouts that were seen last. */
  String text(Homes homes, @Nullable MarkRecord mark) {
    Layouts read = seen;
    return new NamespaceRecord(read == null ? Layouts.of(layout) : read, homes, mark).text();
  }

  // Taking a window.

  /**
   * Chooses the layout that is in force.
   *
   * @throws LayoutMismatchException if that is none of this process's
   * @throws NoFreeWorkerException if it is one of this process's only later
   */
  void choose(long nowMillis) {
    Layouts read = seen;
    if (read == null) {
      return;
    }
    Next next = read.next();
    if (next != null && nowMillis >= next.fromMillis() && next.fixed()) {
      layout = required(next.layout(), read, nowMillis);
    } else {
      layout = required(read.current(), read, nowMillis);
      if (isOver(nowMillis)) {
        throw refusal(read, nowMillis);
      }
    }
  }

  private IdLayout required(IdLayout wanted, Layouts read, long nowMillis) {
    if (!known.contains(wanted)) {
      throw refusal(read, nowMillis);
    }
    return wanted;
  }

  /** Returns where windows may begin. */
  long fromMillis() {
    Layouts read = seen;
    return read == null ? Long.MIN_VALUE : read.fromMillis(layout);
  }

  /** Returns where windows end at the latest. */
  long untilMillis() {
    Layouts read = seen;
    return read == null ? Long.MAX_VALUE : read.untilMillis(layout);
  }

  /** Returns whether the layout of the windows has ended at that time. */
  boolean isOver(long nowMillis) {
    return untilMillis() <= nowMillis;
  }

  /**
   * Checks times that were acquired, after the register of the namespace was read.
   *
   * @throws FirnException if they are not of the layout
   */
  void requireUsable(long beginMillis) {
    Layouts read = seen;
    if (read != null && (!read.isUsable(layout) || isOver(beginMillis))) {
      throw refusal(read, beginMillis);
    }
  }

  // Keeping a window.

  /**
   * Switches to the next layout with the renewal that is due, if the change is near and fixed, and
   * the granted window ends there: no renewal extends that window afterwards.
   */
  void advance(long nowMillis, LeaseWindow window) {
    Next next = ahead();
    if (next != null
        && nowMillis >= next.fromMillis() - aheadMillis()
        && isFollowedBy(next, window)) {
      layout = next.layout();
    }
  }

  private static boolean isFollowedBy(Next next, LeaseWindow window) {
    return next.fixed()
        && window.worker() < next.layout().workers()
        && window.notAfterMillis() >= next.fromMillis();
  }

  /** Goes back to the layout of the granted windows, if the change is not fixed any more. */
  void revertUnlessFixed() {
    Layouts read = seen;
    if (read != null && !read.isUsable(layout)) {
      layout = granted;
    }
  }

  /** Returns whether the windows that are granted from now on have another layout. */
  boolean isChanged() {
    return !layout.equals(granted);
  }

  /** Returns whether the namespace has had one layout only, as far as was seen. */
  boolean isPlain() {
    Layouts read = seen;
    return read == null || read.isPlain();
  }

  /** Records that a window of the current layout was granted. */
  void grant() {
    granted = layout;
  }

  /** Returns when a change is to be followed; as long as possible if there is none. */
  long dueNanos(long nowMillis, LeaseWindow window) {
    Next next = next();
    if (next == null || next.layout().equals(layout)) {
      return Long.MAX_VALUE;
    }
    long left = next.fromMillis() - nowMillis;
    long early = Math.max(0, left - aheadMillis());
    boolean follows =
        left > 0 && known.contains(next.layout()) && (early > 0 || isFollowedBy(next, window));
    // At random, so that the processes of a namespace do not all write at once.
    long spread = Math.min(left, aheadMillis()) / 2;
    long due = follows ? early + time.random(Math.max(1, spread)) : left;
    return due <= 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(Math.min(due, windowMillis));
  }

  private long aheadMillis() {
    return windowMillis / 2;
  }

  /** Returns the change that was seen last; null if there is none. */
  private @Nullable Next next() {
    Layouts read = seen;
    return read == null ? null : read.next();
  }

  /** Returns the next layout if this process may use it and does not yet. */
  private @Nullable Next ahead() {
    Next next = next();
    return next != null && known.contains(next.layout()) && !next.layout().equals(layout)
        ? next
        : null;
  }

  /** Describes a change that ends the current layout at that time; empty if there is none. */
  Optional<String> changeAt(Instant end) {
    return Optional.ofNullable(next())
        .filter(next -> next.fromMillis() == end.toEpochMilli())
        .map(
            next ->
                "namespace "
                    + namespace.name()
                    + " changes to layout "
                    + next.layout()
                    + " at "
                    + end);
  }

  // Refusals.

  private LayoutMismatchException unknown(Layouts read) {
    for (Past past : read.past()) {
      if (known.contains(past.layout())) {
        return changed(read.current(), past.untilMillis(), past.layout());
      }
    }
    return NamespaceRegisters.mismatch(layout, read.current(), namespace.name());
  }

  private LayoutMismatchException changed(IdLayout now, long sinceMillis, IdLayout own) {
    return new LayoutMismatchException(
        "Namespace "
            + namespace.name()
            + " has layout "
            + now
            + " since "
            + Instant.ofEpochMilli(sinceMillis)
            + ", and this process has layout "
            + own
            + "; start it with the namespace's layout");
  }

  private FirnException refusal(Layouts read, long nowMillis) {
    Next next = read.next();
    if (next == null) {
      return unknown(read);
    }
    Instant from = Instant.ofEpochMilli(next.fromMillis());
    if (nowMillis >= next.fromMillis()) {
      return next.fixed()
          ? changed(next.layout(), next.fromMillis(), layout)
          : new LayoutMismatchException(
              "The change of namespace "
                  + namespace.name()
                  + " to layout "
                  + next.layout()
                  + " at "
                  + from
                  + " was not completed; firn layout change completes it, firn layout cancel calls"
                  + " it off");
    }
    long left = next.fromMillis() - nowMillis;
    return new NoFreeWorkerException(
        "Namespace "
            + namespace.name()
            + " has layout "
            + read.current()
            + " until "
            + from
            + " and then changes to layout "
            + next.layout()
            + "; start this process then, or with both layouts",
        left,
        left <= MAX_WINDOWS_TO_WAIT * windowMillis);
  }
}
