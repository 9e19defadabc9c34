package io.firn.segment;

import static io.firn.internal.Expected.within;

import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.PriorityQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Fetches segments in the background, for any number of generators. One fetcher, on a few daemon
 * threads, serves a process; a thread that nobody needs ends. Keys are served in the order in which
 * they ask. A store that answers slowly keeps threads busy, so generators that must not wait for
 * those of another store get a fetcher of their own. Thread-safe.
 */
public abstract class SegmentFetcher {

  /** How many threads {@link #shared} has at most. */
  public static final int SHARED_THREADS = 8;

  /** The most threads that a fetcher can have. */
  public static final int MAX_THREADS = 256;

  private static final Logger LOG = System.getLogger("io.firn.segment");

  private SegmentFetcher() {}

  /** The fetcher of this process; a thread starts when there is something to do. */
  public static SegmentFetcher shared() {
    return Shared.FETCHER;
  }

  /**
   * A fetcher of its own threads.
   *
   * @param threads how many keys are fetched at once at most, 1..256
   */
  public static SegmentFetcher ofThreads(int threads) {
    return new Threads((int) within("threads", 1, MAX_THREADS, threads));
  }

  /** A fetcher without threads, for tests: somebody calls {@link Manual#runDue}. */
  public static Manual manual(TimeSource time) {
    return new Manual(time);
  }

  /** Runs a task some time from now. */
  abstract void schedule(Runnable task, long delayNanos);

  private static final class Shared {
    static final SegmentFetcher FETCHER = new Threads(SHARED_THREADS);
  }

  private static final class Threads extends SegmentFetcher {

    private static final long IDLE_SECONDS = 60;

    private final AtomicInteger started = new AtomicInteger();
    private final ScheduledThreadPoolExecutor executor;

    Threads(int count) {
      executor = new ScheduledThreadPoolExecutor(count, this::thread);
      executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
      executor.allowCoreThreadTimeOut(true);
    }

    private Thread thread(Runnable work) {
      Thread thread = new Thread(work, "firn-segments-" + started.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    }

    @Override
    void schedule(Runnable task, long delayNanos) {
      ScheduledFuture<?> unused =
          executor.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
    }

    /** Tells of an error, which the future would keep to itself. */
    private static void run(Runnable task) {
      try {
        task.run();
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "fetching a segment failed", e);
        throw e;
      }
    }
  }

  /** A fetcher that works when it is told to. */
  public static final class Manual extends SegmentFetcher {

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private record Due(long nanos, long order, Runnable task) implements Comparable<Due> {
      @Override
      public int compareTo(Due other) {
        return nanos == other.nanos
            ? Long.compare(order, other.order)
            : Long.compare(nanos, other.nanos);
      }
    }

    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Due> queue = new PriorityQueue<>();
    private long order;

    private Manual(TimeSource time) {
      this.time = time;
    }

    @Override
    void schedule(Runnable task, long delayNanos) {
      lock.lock();
      try {
        queue.add(new Due(time.nanoTime() + delayNanos, order++, task));
      } finally {
        lock.unlock();
      }
    }

    /**
     * Fetches every segment that is due.
     *
     * @return in how many nanoseconds the next one is due; at most a minute
     */
    public long runDue() {
      while (true) {
        Due due = pollDue();
        if (due == null) {
          return untilNextNanos();
        }
        due.task().run();
      }
    }

    private @Nullable Due pollDue() {
      lock.lock();
      try {
        Due due = queue.peek();
        return due == null || due.nanos() - time.nanoTime() > 0 ? null : queue.remove();
      } finally {
        lock.unlock();
      }
    }

    private long untilNextNanos() {
      lock.lock();
      try {
        Due due = queue.peek();
        return due == null
            ? IDLE_NANOS
            : Math.min(IDLE_NANOS, Math.max(0, due.nanos() - time.nanoTime()));
      } finally {
        lock.unlock();
      }
    }
  }
}
