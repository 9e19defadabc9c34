package io.firn.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that work at the same time. For one thread that starts and joins them. */
final class Crowd {

  interface Task {
    void run() throws Exception;
  }

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Starts a thread; what it throws is kept. */
  void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (Exception | AssertionError e) {
                failure.compareAndSet(null, e);
              }
            },
            "crowd-" + threads.size());
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  boolean hasFailed() {
    return failure.get() != null;
  }

  /**
   * Waits until all have ended.
   *
   * @throws AssertionError with what the first of them threw that threw anything
   */
  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    if (hasFailed()) {
      throw new AssertionError(failure.get());
    }
  }
}
