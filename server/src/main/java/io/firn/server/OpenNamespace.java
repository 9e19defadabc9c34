package io.firn.server;

import io.firn.IdScope;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SegmentConfig;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A namespace that issues IDs. Thread-safe.
 *
 * <p>An event loop serves many connections, so nothing waits on it: requests that have to wait do
 * so in a {@link DrawQueue}.
 */
public abstract sealed class OpenNamespace permits OpenSnowflakes, OpenSegments {

  private final String name;
  private final DrawQueue queue;

  OpenNamespace(String name, Waiting waiting) {
    this.name = name;
    queue = new DrawQueue(this, waiting.loop(), waiting.time(), waiting.backlog());
  }

  /**
   * The parts that waiting requests need.
   *
   * @param loop tries again for those of a namespace
   * @param time the clock
   * @param backlog the memory for those of all namespaces
   */
  record Waiting(EventExecutor loop, TimeSource time, Backlog backlog) {}

  /** Returns the name. */
  public String name() {
    return name;
  }

  /**
   * Issues IDs at once if there are enough and no request waits, and otherwise as soon as possible.
   *
   * @param ids filled from its beginning if the IDs are issued at once
   * @return null if the IDs are issued; otherwise their future, completed by a thread that must not
   *     be blocked
   * @throws io.firn.FirnException if the IDs cannot be issued now
   */
  @Nullable CompletableFuture<long[]> issue(long[] ids, int count) {
    checkCount(count);
    int issued = queue.size() == 0 ? tryNextIds(ids, 0, count) : 0;
    return issued == count ? null : queue.add(ids, issued, count);
  }

  /** Issues IDs as soon as possible. */
  CompletableFuture<long[]> nextIds(int count) {
    long[] ids = new long[count];
    CompletableFuture<long[]> later = issue(ids, count);
    return later == null ? CompletableFuture.completedFuture(ids) : later;
  }

  /**
   * Opens a scope: the watermark of the namespace stays below the IDs that are drawn after this.
   *
   * @throws RequestException if such IDs have no watermark
   */
  IdScope scope(Duration limit) {
    throw new RequestException(
        RequestException.Kind.BAD_REQUEST,
        "namespace: " + name + " (expected: one of type snowflake, for a scope)");
  }

  /**
   * Checks that this number of IDs can be issued to one request.
   *
   * @throws RequestException if they never can
   */
  void checkCount(int count) {}

  /**
   * Returns how many requests for one ID can be answered together, at least 1: those that no one
   * answers sooner alone.
   */
  public int maxRun() {
    return Integer.MAX_VALUE;
  }

  /** Returns a number that grows with each use of the namespace. */
  abstract long uses();

  /**
   * Issues as many IDs as possible without waiting.
   *
   * @return how many
   * @throws io.firn.FirnException if waiting does not help
   */
  abstract int tryNextIds(long[] ids, int from, int to);

  /**
   * Checks that a request can wait.
   *
   * @param ahead how many IDs those before it want
   * @param wanted how many it wants itself
   * @throws RequestException if those before it need too long
   */
  void checkWait(long ahead, int wanted) {}

  /**
   * Returns how long a request may wait.
   *
   * @param issued how many IDs were issued meanwhile, to it and to others
   */
  abstract long maxWaitNanos(long issued);

  /** Returns the longest wait of a request, also while its namespace opens. */
  static long longestWaitNanos(NamespaceConfig config) {
    return config instanceof SegmentConfig segments
        ? segments.maxWait().toNanos()
        : OpenSnowflakes.MAX_WAIT_NANOS;
  }

  /** Returns the refusal of a request that has waited too long for its IDs. */
  RequestException overdue(int count, long waitedNanos) {
    NamespaceStatus status = status();
    return RequestException.unavailable(
        status.config(),
        status
            .outage()
            .orElseGet(
                () ->
                    "Namespace "
                        + name
                        + " did not issue "
                        + count
                        + " IDs within "
                        + TimeUnit.NANOSECONDS.toMillis(waitedNanos)
                        + " ms"));
  }

  /** Returns the status of the namespace now. */
  public abstract NamespaceStatus status();

  /** Returns how many requests wait. */
  int waiting() {
    return queue.size();
  }

  /** Returns whether the namespace issues no more IDs. */
  public boolean isClosed() {
    return queue.isClosed();
  }

  /**
   * Closes the namespace.
   *
   * @param refusal the answer to requests that wait
   */
  void close(RequestException refusal) {
    queue.close(refusal);
  }
}
