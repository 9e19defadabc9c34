package io.firn.server;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that do not keep the process alive. */
final class DaemonThreads {

  private DaemonThreads() {}

  static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Returns a pool of that many threads, which end when there has been nothing to do for 10 s. */
  static ThreadPoolExecutor pool(int count, BlockingQueue<Runnable> queue, String prefix) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, queue, named(prefix));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
