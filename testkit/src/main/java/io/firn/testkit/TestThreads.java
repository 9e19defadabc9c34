package io.firn.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that run tasks of a test concurrently. For one thread that starts and joins them. */
public final class TestThreads {

  /** A task that may fail with any exception. */
  @FunctionalInterface
  public interface Task {
    /** Runs the task. */
    void run() throws Exception;
  }

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Creates it without threads. */
  public TestThreads() {}

  /**
   * Runs each task on a thread of its own. All tasks begin at the same moment.
   *
   * @return the results, in the order of the tasks
   * @throws AssertionError if a task fails, with the first failure as its cause
   */
  public static <T> List<T> together(List<Callable<T>> tasks) throws InterruptedException {
    CyclicBarrier begin = new CyclicBarrier(tasks.size());
    List<AtomicReference<T>> results = new ArrayList<>();
    TestThreads threads = new TestThreads();
    for (Callable<T> task : tasks) {
      AtomicReference<T> result = new AtomicReference<>();
      results.add(result);
      threads.start(
          () -> {
            begin.await();
            result.set(task.call());
          });
    }
    threads.join();
    return results.stream().map(AtomicReference::get).toList();
  }

  /** Starts a daemon thread that runs a task. */
  public void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
              }
            },
            "test-" + threads.size());
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  /** Waits until each thread waits for another one. */
  public void awaitWaiting() {
    while (!threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING)) {
      Thread.onSpinWait();
    }
  }

  /**
   * Waits for a latch.
   *
   * @throws AssertionError if the thread is interrupted
   */
  public static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean hasFailed() {
    return failure.get() != null;
  }

  /**
   * Waits until all tasks have ended.
   *
   * @throws AssertionError if a task failed, with the first failure as its cause
   */
  public void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    if (hasFailed()) {
      throw new AssertionError(failure.get());
    }
  }
}
