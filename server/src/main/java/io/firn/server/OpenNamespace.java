package io.firn.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A namespace that issues IDs. Thread-safe.
 *
 * <p>An event loop serves many connections, so {@link #issue} does not wait on it. What has to wait
 * does so on one thread for each namespace: requests that wait for the same numbers gain nothing
 * from more threads.
 */
public abstract sealed class OpenNamespace permits OpenSnowflakes, OpenSegments {

  private static final long IDLE_SECONDS = 10;

  private final String name;
  private final ThreadPoolExecutor waiter;

  OpenNamespace(String name) {
    this.name = name;
    waiter =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // a connection waits for one answer at a time
            DaemonThreads.named("firn-waiter-" + name));
    waiter.allowCoreThreadTimeOut(true);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /**
   * Issues IDs at once if that takes a few milliseconds at most, and otherwise as soon as possible.
   *
   * @param ids filled from its beginning if the IDs are issued at once
   * @return null if the IDs are issued; otherwise their future, completed by a thread that must not
   *     be blocked
   * @throws io.firn.FirnException if the IDs cannot be issued now
   */
  @Nullable CompletableFuture<long[]> issue(long[] ids, int count) {
    return tryNextIds(ids, count) ? null : nextIds(count);
  }

  /**
   * Fills the first elements if that takes a few milliseconds at most.
   *
   * @return false if it might take longer; no ID is issued then
   * @throws io.firn.FirnException if not all IDs can be issued now
   */
  abstract boolean tryNextIds(long[] ids, int count);

  /** Issues IDs on the waiting thread, as soon as possible. */
  CompletableFuture<long[]> nextIds(int count) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            long[] ids = new long[count];
            awaitNextIds(ids);
            return ids;
          },
          waiter);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(RequestException.of(e));
    }
  }

  /** Fills the array, and waits as long as that takes. */
  abstract void awaitNextIds(long[] ids);

  /** Returns the status of the namespace now. */
  public abstract NamespaceStatus status();

  /** Returns whether the namespace issues no more IDs. */
  public boolean isClosed() {
    return waiter.isShutdown();
  }

  void close() {
    waiter.shutdownNow();
  }
}
