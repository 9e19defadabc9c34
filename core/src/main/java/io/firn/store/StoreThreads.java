package io.firn.store;

import io.firn.time.TimeSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Threads for calls without a timeout, for authors of stores: calls of a connection pool or a
 * client of the application. The caller waits for a limited time, the thread until the call
 * returns. The threads are daemons and end after ten idle seconds. Thread-safe.
 */
public final class StoreThreads {

  private static final int MAX_THREADS = 16;
  private static final long IDLE_SECONDS = 10;

  private final TimeSource time = TimeSource.system();
  private final ThreadPoolExecutor threads;

  /**
   * Starts no thread yet.
   *
   * @param name of each thread
   */
  public StoreThreads(String name) {
    threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            action -> daemon(action, name));
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable action, String name) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Runs an action and returns its result. An interrupted caller waits too.
   *
   * @param maxNanos how long to wait for it
   * @param late gets a result that came after the caller gave up
   * @throws TimeoutException if there was no result in time; an action that had not begun by then
   *     never does
   * @throws ExecutionException with what the action threw
   */
  public <T> T run(Callable<T> action, long maxNanos, Consumer<T> late)
      throws TimeoutException, ExecutionException {
    CompletableFuture<T> reply = new CompletableFuture<>();
    Runnable task = () -> run(action, reply, late);
    threads.execute(task);
    boolean interrupted = false;
    long end = time.nanoTime() + maxNanos;
    try {
      while (true) {
        try {
          return reply.get(end - time.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          if (reply.completeExceptionally(e)) {
            boolean unused = threads.remove(task); // it is not kept while all threads hang
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> void run(Callable<T> action, CompletableFuture<T> reply, Consumer<T> late) {
    if (reply.isDone()) {
      return;
    }
    try {
      T result = action.call();
      if (!reply.complete(result)) {
        late.accept(result);
      }
    } catch (Throwable e) { // an Error too is the caller's
      reply.completeExceptionally(e);
    }
  }
}
