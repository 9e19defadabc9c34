package io.firn.server;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.micrometer.LeaseCounts;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The newest events of a namespace, and counts of all. Thread-safe. */
public final class NamespaceEvents implements LeaseListener {

  private static final int KEPT = 50;

  private final TimeSource time;
  private final LeaseCounts counts = new LeaseCounts();
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Event> newest = new ArrayDeque<>();
  private long clockSteps;

  NamespaceEvents(TimeSource time) {
    this.time = time;
  }

  /** The kinds of events. */
  public enum Kind {
    /** A worker ID was leased. */
    ACQUIRED,
    /** The window was extended. */
    RENEWED,
    /** The lease was lost. */
    LOST,
    /** The window ran out before it was extended. */
    EXPIRED,
    /** The clock stepped back. */
    CLOCK_STEPPED
  }

  /**
   * An event, or several of one kind that followed each other.
   *
   * @param kind what happened
   * @param first when it happened first
   * @param last when it happened last
   * @param times how often it happened
   * @param worker the worker ID; empty if none has to do with it
   * @param fence the fence after it; empty if no lease has to do with it
   */
  public record Event(
      Kind kind,
      Instant first,
      Instant last,
      long times,
      Optional<Long> worker,
      Optional<Instant> fence) {

    private boolean goesOn(Event next) {
      return kind == next.kind() && worker.equals(next.worker());
    }

    private Event with(Event next) {
      return new Event(kind, first, next.last(), times + next.times(), worker, next.fence());
    }
  }

  @Override
  public void acquired(LeaseStatus status) {
    counts.acquired(status);
    add(Kind.ACQUIRED, status);
  }

  @Override
  public void renewed(LeaseStatus status) {
    counts.renewed(status);
    add(Kind.RENEWED, status);
  }

  @Override
  public void lost(LeaseStatus status) {
    counts.lost(status);
    add(Kind.LOST, status);
  }

  @Override
  public void expired(LeaseStatus status) {
    counts.expired(status);
    add(Kind.EXPIRED, status);
  }

  /** Reports how often the clock has stepped back. */
  void clockSteps(long steps) {
    lock.lock();
    try {
      if (steps > clockSteps) {
        Instant now = now();
        add(
            new Event(
                Kind.CLOCK_STEPPED,
                now,
                now,
                steps - clockSteps,
                Optional.empty(),
                Optional.empty()));
        clockSteps = steps;
      }
    } finally {
      lock.unlock();
    }
  }

  private void add(Kind kind, LeaseStatus status) {
    Instant now = now();
    lock.lock();
    try {
      add(new Event(kind, now, now, 1, Optional.of(status.worker()), Optional.of(status.fence())));
    } finally {
      lock.unlock();
    }
  }

  private void add(Event event) {
    Event before = newest.peekLast();
    if (before != null && before.goesOn(event)) {
      newest.removeLast();
      newest.addLast(before.with(event));
      return;
    }
    newest.addLast(event);
    if (newest.size() > KEPT) {
      newest.removeFirst();
    }
  }

  private Instant now() {
    return Instant.ofEpochMilli(time.currentTimeMillis());
  }

  /** Returns the newest events, the oldest of them first. */
  public List<Event> newest() {
    lock.lock();
    try {
      return List.copyOf(newest);
    } finally {
      lock.unlock();
    }
  }

  /** Returns how often each happened to the leases. */
  public LeaseCounts counts() {
    return counts;
  }
}
