package io.firn.simulation.world;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * True time, and what is to happen when. One thread: a call that takes time lets the events of that
 * time happen inside it, which is how calls of different threads come to overlap.
 */
public final class World {

  public static final long NANOS_PER_MILLI = 1_000_000;

  /** Deeper calls let time pass, but nothing happens until they are back. */
  private static final int MAX_DEPTH = 12;

  private record Event(long nanos, long order, Runnable action) {}

  private final PriorityQueue<Event> queue =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::order));
  private final EventLog log;
  private long now;
  private long passed;
  private long order;
  private long events;
  private int depth;

  public World(EventLog log) {
    this.log = log;
  }

  /** Returns nanoseconds since the world began. */
  public long now() {
    return now;
  }

  /** Returns true time in milliseconds since 1970. */
  public long trueMillis() {
    return Settings.START_MILLIS + now / NANOS_PER_MILLI;
  }

  public long events() {
    return events;
  }

  public EventLog log() {
    return log;
  }

  public void log(Object who, Object... what) {
    log.line(now, depth, who, what);
  }

  public void after(long nanos, Runnable action) {
    queue.add(new Event(now + Math.max(0, nanos), order++, action));
  }

  /**
   * Returns the nanoseconds that the calls which run now let pass themselves. An event that happens
   * inside a call returns before the call does, however long it takes; that time is not the call's,
   * because threads do not wait for each other.
   */
  long passed() {
    return passed;
  }

  /** Runs an action of another thread at this moment; its time is not the caller's. */
  void aside(Runnable action) {
    long own = passed;
    action.run();
    passed = own;
  }

  /** Lets that much time pass, and happen what is due meanwhile. */
  public void pass(long nanos) {
    long end = now + nanos;
    long own = passed + nanos;
    if (depth < MAX_DEPTH) {
      depth++;
      try {
        runUntil(end);
      } finally {
        depth--;
      }
    }
    now = Math.max(now, end);
    passed = own;
  }

  private void runUntil(long end) {
    for (Event next = queue.peek(); next != null && next.nanos() <= end; next = queue.peek()) {
      queue.remove();
      now = Math.max(now, next.nanos());
      events++;
      next.action().run();
    }
  }

  /** Lets everything happen that is to happen. */
  public void drain() {
    runUntil(Long.MAX_VALUE);
  }
}
