package io.firn.server;

import io.firn.IdGenerator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A namespace that issues. Thread-safe.
 *
 * <p>An event loop serves many connections, so it only {@linkplain #tryNextIds tries}. What would
 * have to wait goes through {@link #nextIds(int)}, whose one thread for each namespace waits in the
 * loop's place: requests that wait for the same numbers gain nothing from more threads.
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

  /** Its name. */
  public String name() {
    return name;
  }

  /**
   * Fills {@code ids[from]} up to {@code ids[to - 1]} as {@link IdGenerator#nextIds(long[], int,
   * int)} does, if that takes no more than a few milliseconds.
   *
   * @return false, and nothing was issued, if it might take longer
   * @throws io.firn.FirnException if not all IDs can be issued now
   */
  public abstract boolean tryNextIds(long[] ids, int from, int to);

  /** Issues IDs as soon as can be; the future is completed by a thread that must not be kept. */
  public CompletableFuture<long[]> nextIds(int count) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            long[] ids = new long[count];
            awaitNextIds(ids);
            return ids;
          },
          waiter);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(Refusal.of(e));
    }
  }

  /** Fills the array, however long that takes. */
  abstract void awaitNextIds(long[] ids);

  /** How it is now; with neither a lease nor a failure. */
  public abstract NamespaceStatus status();

  void close() {
    waiter.shutdownNow();
  }
}
