package io.firn.server;

import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs requests that wait for a store or a database, on threads of their own. A request is refused
 * if it is not answered in time, counted from its arrival, or if too many wait. One whose future is
 * canceled is forgotten. Thread-safe.
 */
final class BlockingRequests {

  /** The most requests that wait for a thread. */
  static final int MAX_WAITING = 1_000;

  /** The longest wait of a request. */
  static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final String target;
  private final Duration maxWait;
  private final EventExecutorGroup timers;
  private final ThreadPoolExecutor threads;

  /**
   * Creates the threads.
   *
   * @param target what the requests wait for, for messages
   * @param count how many threads there are
   * @param prefix the beginning of their names
   * @param maxWait how long a request waits at most
   * @param timers refuses those that wait longer
   */
  BlockingRequests(
      String target, int count, String prefix, Duration maxWait, EventExecutorGroup timers) {
    this.target = target;
    this.maxWait = maxWait;
    this.timers = timers;
    threads = DaemonThreads.pool(count, new LinkedBlockingQueue<>(MAX_WAITING), prefix);
    threads.setRejectedExecutionHandler(
        (task, pool) -> {
          throw pool.isShutdown() ? RequestException.stopping() : full();
        });
  }

  /**
   * Runs a request.
   *
   * @return completed by a thread that must not be blocked
   * @throws RequestException if too many wait
   */
  <T> CompletableFuture<T> run(Supplier<T> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable task = () -> answer(answer, request);
    threads.execute(task);
    Future<?> end =
        timers.schedule(
            () -> answer.completeExceptionally(overdue()), maxWait.toNanos(), TimeUnit.NANOSECONDS);
    answer.whenComplete(
        (value, failure) -> {
          end.cancel(false);
          threads.remove(task);
        });
    return answer;
  }

  private static <T> void answer(CompletableFuture<T> answer, Supplier<T> request) {
    if (answer.isDone()) {
      return;
    }
    try {
      answer.complete(request.get());
    } catch (RuntimeException | Error e) { // any exception of a store is the client's answer
      answer.completeExceptionally(e);
    }
  }

  private RequestException overdue() {
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        "No answer came from "
            + target
            + " within "
            + maxWait.toMillis()
            + " ms; "
            + threads.getQueue().size()
            + " other requests wait for it");
  }

  private RequestException full() {
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        MAX_WAITING + " requests wait for " + target + ", which is slow or down");
  }

  /** Runs nothing more. */
  void close() {
    threads.shutdownNow();
  }
}
