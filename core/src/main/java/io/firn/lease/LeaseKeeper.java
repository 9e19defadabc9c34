package io.firn.lease;

import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases when they are due. One keeper, on one daemon thread, serves all generators of a
 * process. Thread-safe.
 */
public final class LeaseKeeper {

  private static final Logger LOG = System.getLogger("io.firn.lease");

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private record Due(Lease lease, long nanos) {}

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::nanos));
  private final Map<Lease, Due> waiting = new HashMap<>();
  private @Nullable Thread thread;

  private LeaseKeeper(TimeSource time) {
    this.time = time;
  }

  /** The keeper of this process; its thread starts with the first lease. */
  public static LeaseKeeper shared() {
    return Shared.KEEPER;
  }

  /** A keeper without a thread, for tests: somebody calls {@link #runDue}. */
  public static LeaseKeeper manual(TimeSource time) {
    return new LeaseKeeper(time);
  }

  private static final class Shared {
    static final LeaseKeeper KEEPER = new LeaseKeeper(TimeSource.system());

    static {
      Thread thread = new Thread(KEEPER::run, "firn-lease-keeper");
      thread.setDaemon(true);
      KEEPER.thread = thread;
      thread.start();
    }
  }

  @SuppressWarnings("InfiniteLoopStatement") // a daemon thread
  private void run() {
    while (true) {
      time.parkNanos(Math.min(IDLE_NANOS, runDue()));
      if (Thread.interrupted()) {
        LOG.log(Level.WARNING, "interrupted; going on, for without a keeper every lease runs out");
      }
    }
  }

  /**
   * Maintains every lease that is due.
   *
   * @return in how many nanoseconds the next one is due; at most a minute
   */
  public long runDue() {
    while (true) {
      Due due = pollDue();
      if (due == null) {
        return untilNextNanos();
      }
      long wait = due.lease().maintain();
      if (wait >= 0) {
        schedule(due.lease(), wait);
      }
    }
  }

  private @Nullable Due pollDue() {
    lock.lock();
    try {
      Due due = queue.peek();
      if (due == null || due.nanos() - time.nanoTime() > 0) {
        return null;
      }
      queue.remove();
      waiting.remove(due.lease());
      return due;
    } finally {
      lock.unlock();
    }
  }

  private long untilNextNanos() {
    lock.lock();
    try {
      Due due = queue.peek();
      return due == null ? IDLE_NANOS : Math.max(0, due.nanos() - time.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  private void schedule(Lease lease, long waitNanos) {
    lock.lock();
    try {
      // One that was urged while it was being maintained is due again.
      Due due = new Due(lease, time.nanoTime() + (lease.isUrged() ? 0 : waitNanos));
      waiting.put(lease, due);
      queue.add(due);
    } finally {
      lock.unlock();
    }
  }

  void add(Lease lease) {
    schedule(lease, Math.max(0, lease.maintain()));
    wake();
  }

  void remove(Lease lease) {
    lock.lock();
    try {
      Due due = waiting.remove(lease);
      if (due != null) {
        queue.remove(due);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Brings a lease forward; one that is being maintained just now comes again after it. */
  void urge(Lease lease) {
    lock.lock();
    try {
      Due due = waiting.get(lease);
      if (due == null) {
        return;
      }
      queue.remove(due);
      Due now = new Due(lease, time.nanoTime());
      waiting.put(lease, now);
      queue.add(now);
    } finally {
      lock.unlock();
    }
    wake();
  }

  private void wake() {
    Thread keeper = thread;
    if (keeper != null) {
      LockSupport.unpark(keeper);
    }
  }
}
