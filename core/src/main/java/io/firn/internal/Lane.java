package io.firn.internal;

import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The background tasks of one store, and the daemon threads that run them. A task is never run by
 * two threads at once, and says itself when it wants to run again. What a task throws ends neither
 * the thread nor the task. Thread-safe.
 *
 * <p>A thread starts when a task is due and no thread is idle, up to {@link #MAX_THREADS}, and ends
 * after a minute without work. If a thread cannot be started, tasks stay queued; the next request
 * tries again. Threads inherit neither thread locals nor the context class loader of the thread
 * that starts them, so that they pin no application.
 */
public final class Lane {

  /** The maximum number of tasks of a store that run at once. */
  public static final int MAX_THREADS = 4;

  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The delay of a task after an uncaught exception. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = System.getLogger("io.firn");

  private final TimeSource time;
  private final @Nullable ThreadFactory threadFactory;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Task> queue =
      new PriorityQueue<>((a, b) -> a.comesBefore(b) ? -1 : 1);
  private long order;
  private int threads;
  private int idle;

  /** Creates a lane of threads from a factory; without one, of the callers of {@link #runDue}. */
  Lane(TimeSource time, @Nullable ThreadFactory threadFactory) {
    this.time = time;
    this.threadFactory = threadFactory;
  }

  /** Returns a factory of daemon threads that pin no application, named with a number each. */
  static ThreadFactory daemons(String name) {
    AtomicInteger started = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(null, work, name + "-" + started.incrementAndGet(), 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
      return thread;
    };
  }

  /**
   * Adds a task, which runs once it is asked for.
   *
   * @param work returns in how many nanoseconds it wants to run again; negative if not by itself
   */
  public Task task(LongSupplier work) {
    return new Task(work);
  }

  /** Work that repeats itself. */
  public final class Task {

    private final LongSupplier work;
    private long dueNanos;
    private long order;
    private boolean queued;
    private boolean wanted;
    private @Nullable Thread runner;

    private Task(LongSupplier work) {
      this.work = work;
    }

    /** Compares by difference: the monotonic clock may overflow. No two tasks have one order. */
    private boolean comesBefore(Task other) {
      long later = other.dueNanos - dueNanos;
      return later > 0 || (later == 0 && order <= other.order);
    }

    /** Runs within that time, also if it is running now or is due later. */
    public void runWithin(long nanos) {
      lock.lock();
      try {
        enqueue(this, time.nanoTime() + nanos);
        startThread();
      } finally {
        lock.unlock();
      }
    }

    /**
     * Runs soon unless a run is planned, which keeps its time. A run that is under way counts as
     * scheduled if it requests another one.
     */
    public void runUnlessPlanned() {
      lock.lock();
      try {
        if (runner != null) {
          wanted = true;
        } else if (!queued) {
          enqueue(this, time.nanoTime());
        }
        startThread();
      } finally {
        lock.unlock();
      }
    }

    /** Runs in the calling thread, unless it is running. */
    public void runHere() {
      lock.lock();
      try {
        if (runner != null) {
          return;
        }
        take(this);
      } finally {
        lock.unlock();
      }
      run(this);
    }

    /** Drops the planned run. */
    public void cancel() {
      lock.lock();
      try {
        wanted = false;
        if (queued) {
          queued = false;
          queue.remove(this);
        }
      } finally {
        lock.unlock();
      }
    }

    /** Returns whether the calling thread is running this task. */
    public boolean isRunHere() {
      lock.lock();
      try {
        return runner == Thread.currentThread();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns the clock of the threads that run the tasks. */
  public TimeSource time() {
    return time;
  }

  /** Returns whether tasks run only when {@link #runDue} is called. */
  public boolean isManual() {
    return threadFactory == null;
  }

  /** Queues a task. A running task waits in the queue until its run has ended. */
  private void enqueue(Task task, long dueNanos) {
    if (task.queued) {
      if (dueNanos - task.dueNanos >= 0) {
        return;
      }
      queue.remove(task);
    }
    task.dueNanos = dueNanos;
    task.order = order++;
    task.queued = true;
    if (task.runner == null) {
      queue.add(task);
    }
  }

  private void take(Task task) {
    queue.remove(task);
    task.queued = false;
    task.wanted = false;
    task.runner = Thread.currentThread();
  }

  private void run(Task task) {
    long wait = RETRY_NANOS;
    try {
      wait = task.work.getAsLong();
    } catch (Throwable e) { // an OutOfMemoryError too: others, and later runs, continue
      if (isManual()) {
        throw e;
      }
      report("A background task failed; it runs again in a second", e);
    } finally {
      ended(task, wait);
    }
  }

  private void ended(Task task, long waitNanos) {
    lock.lock();
    try {
      task.runner = null;
      if (task.queued) {
        queue.add(task);
      }
      if (waitNanos >= 0) {
        enqueue(task, time.nanoTime() + waitNanos);
      } else if (task.wanted) {
        enqueue(task, time.nanoTime());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs every task that is due.
   *
   * @return in how many nanoseconds the next one is due; at most a minute
   */
  long runDue() {
    for (Task task = takeDue(); task != null; task = takeDue()) {
      run(task);
    }
    lock.lock();
    try {
      return Math.min(IDLE_NANOS, untilNext());
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Task takeDue() {
    lock.lock();
    try {
      Task task = untilNext() == 0 ? queue.peek() : null;
      if (task != null) {
        take(task);
      }
      return task;
    } finally {
      lock.unlock();
    }
  }

  private long untilNext() {
    Task next = queue.peek();
    return next == null ? Long.MAX_VALUE : Math.max(0, next.dueNanos - time.nanoTime());
  }

  /** Wakes or starts a thread, which looks at the queue again. */
  private void startThread() {
    if (idle > 0) {
      changed.signal();
    } else if (threadFactory != null && threads < MAX_THREADS && !queue.isEmpty()) {
      threads++;
      try {
        threadFactory.newThread(this::work).start();
      } catch (Throwable e) { // no memory, or no more threads: the next request tries again
        threads--;
        report("No thread for background tasks; the next request tries again", e);
      }
    }
  }

  private void work() {
    try {
      for (Task task = await(); task != null; task = await()) {
        run(task);
      }
    } catch (Throwable e) { // an OutOfMemoryError outside a task: another thread takes over
      lock.lock();
      try {
        threads--;
        startThread();
      } finally {
        lock.unlock();
      }
      report("A background thread failed", e);
    }
  }

  /** Waits for a task that is due, and takes it; null if the thread must end. */
  private @Nullable Task await() {
    lock.lock();
    try {
      long begin = time.nanoTime();
      while (true) {
        long wait = untilNext();
        if (wait == 0) {
          Task task = queue.element();
          take(task);
          startThread(); // a thread must watch for the next due task, also while this one hangs
          return task;
        }
        long left = begin + IDLE_NANOS - time.nanoTime();
        if (left <= 0 && (idle > 0 || queue.isEmpty())) {
          threads--;
          changed.signal(); // the remaining thread may have begun to wait before the next task came
          return null;
        }
        awaitChange(left <= 0 ? wait : Math.min(wait, left));
      }
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the caller's
  private void awaitChange(long nanos) {
    idle++;
    try {
      long unused = changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      report("A background thread was interrupted; it continues", e);
    } finally {
      idle--;
    }
  }

  private static void report(String what, Throwable e) {
    try {
      LOG.log(Level.ERROR, what, e);
    } catch (Throwable ofTheHandler) { // nothing left to report to
      return;
    }
  }
}
