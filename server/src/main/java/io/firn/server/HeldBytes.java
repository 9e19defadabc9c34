package io.firn.server;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a server holds for its clients: parts of requests, and answers that are not sent
 * yet. When all connections together hold more than the budget, those that hold most are closed,
 * the clients without a token before all others. Requests that wait for their turns are counted
 * apart, and have half as much. Thread-safe.
 */
final class HeldBytes {

  private static final Comparator<Map.Entry<Connection, Long>> FIRST =
      Comparator.comparing((Map.Entry<Connection, Long> each) -> each.getKey().isAuthenticated())
          .thenComparing(Map.Entry.comparingByValue(Comparator.reverseOrder()));

  private final long budget;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Connection, Long> held = new HashMap<>();
  private long total;

  /** The bytes of requests that wait for their turns. */
  private final AtomicLong waiting = new AtomicLong();

  HeldBytes(long budget) {
    this.budget = budget;
  }

  /**
   * Returns a budget that fits the process: an eighth of the heap, and so of the memory beside it,
   * which the JVM limits to the size of the heap.
   */
  static HeldBytes ofProcess() {
    return new HeldBytes(Runtime.getRuntime().maxMemory() / 8);
  }

  /** Records what a connection holds now. */
  void record(Connection connection, long bytes) {
    lock.lock();
    try {
      set(connection, bytes);
      while (total > budget) {
        reduceFirst();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds bytes of a request that waits for its turn, unless they would take all waiting ones above
   * half of the budget: it is better taken at once then.
   *
   * @return whether they were added
   */
  boolean addWaiting(long bytes) {
    if (waiting.addAndGet(bytes) <= budget / 2) {
      return true;
    }
    removeWaiting(bytes);
    return false;
  }

  /** Removes bytes that were added. */
  void removeWaiting(long bytes) {
    waiting.addAndGet(-bytes);
  }

  private void set(Connection connection, long bytes) {
    Long before = bytes == 0 ? held.remove(connection) : held.put(connection, bytes);
    total += bytes - (before == null ? 0 : before);
  }

  /** Closes the connection that comes first, unless it has sent some of its bytes by now. */
  private void reduceFirst() {
    Map.Entry<Connection, Long> first = first();
    if (first == null) {
      total = 0;
      return;
    }
    Connection connection = first.getKey();
    long now = connection.heldBytes();
    if (now < first.getValue()) {
      set(connection, now);
    } else {
      set(connection, 0);
      connection.close();
    }
  }

  private Map.@Nullable Entry<Connection, Long> first() {
    return held.entrySet().stream().min(FIRST).orElse(null);
  }
}
