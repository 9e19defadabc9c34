package io.firn.lease;

import io.firn.IdLayout;
import io.firn.lease.Layouts.Next;
import io.firn.lease.Layouts.State;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log lines of one process about changes of its namespace's layout. For one thread at a time.
 */
final class LayoutLog {

  /** The time by which a tool has completed its steps, or has ended. */
  private static final long MAX_TOOL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final NamespaceRegisters namespace;
  private final List<IdLayout> known;
  private final TimeSource time;

  /** The change as it was seen last. */
  private @Nullable Next seen;

  /** The line to log next. */
  private @Nullable Line pendingLine;

  /** A change that is not fixed, as it was warned of last. */
  private @Nullable Next unfixed;

  /** The time at which {@link #unfixed} was first seen. */
  private long unfixedNanos;

  /** The time before the change at which it is logged again. */
  private long warnedMillis;

  private record Line(Level level, String message) {}

  /**
   * Creates a log to which nothing was written.
   *
   * @param known the layouts that this process may use
   */
  LayoutLog(NamespaceRegisters namespace, List<IdLayout> known, TimeSource time) {
    this.namespace = namespace;
    this.known = known;
    this.time = time;
  }

  /** Records what was read. */
  void see(Layouts read) {
    Next before = seen;
    Next next = read.next();
    seen = next;
    String name = "namespace " + namespace.name();
    if (next == null) {
      if (before != null && !read.current().equals(before.layout())) {
        pendingLine = new Line(Level.INFO, name + " stays with layout " + read.current());
      }
      return;
    }
    boolean isNew = before == null || before.state() != next.state() || !sameChange(before, next);
    boolean over = next.fixed() && time.currentTimeMillis() >= next.fromMillis();
    if (isNew && !over) {
      String change = next.layout() + " at " + Instant.ofEpochMilli(next.fromMillis());
      pendingLine = line(name, change, next);
    }
  }

  private static boolean sameChange(Next one, Next other) {
    return one.layout().equals(other.layout()) && one.fromMillis() == other.fromMillis();
  }

  private Line line(String name, String change, Next next) {
    if (!next.fixed()) {
      return new Line(
          Level.INFO, name + " has a proposal, and stops unless it is fixed: layout " + change);
    }
    return known.contains(next.layout())
        ? new Line(
            Level.INFO, name + " changes to layout " + change + "; this process switches to it")
        : new Line(
            Level.WARNING,
            name + " changes to layout " + change + "; this process does not have that and stops");
  }

  /** Logs the line that is pending, if there is one. */
  void logPending(LeaseEvents events) {
    Line line = pendingLine;
    pendingLine = null;
    if (line != null) {
      events.log(line.level(), line.message(), null);
    }
  }

  /**
   * Logs a change that is not fixed for longer than its tool needs, and again each time that half
   * of the time up to it has passed.
   */
  void warnOfUnfixed(LeaseEvents events, long nowMillis) {
    Next next = seen;
    if (next == null || next.fixed()) {
      unfixed = null;
      return;
    }
    if (!next.equals(unfixed)) {
      unfixed = next;
      unfixedNanos = time.nanoTime();
      warnedMillis = Long.MAX_VALUE;
      return;
    }
    long left = next.fromMillis() - nowMillis;
    if (left <= warnedMillis && time.nanoTime() - unfixedNanos >= MAX_TOOL_NANOS) {
      warnedMillis = left / 2;
      events.log(
          Level.WARNING,
          "the change of namespace "
              + namespace.name()
              + " to layout "
              + next.layout()
              + " at "
              + Instant.ofEpochMilli(next.fromMillis())
              + " is "
              + next.state().label()
              + ", and was not completed: its processes stop at that time; firn layout cancel calls"
              + " it off"
              + (next.state() == State.PROPOSED ? ", firn layout change completes it" : ""),
          null);
    }
  }
}
