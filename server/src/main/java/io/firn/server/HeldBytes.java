package io.firn.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a server holds for its clients: parts of requests, and answers that are not sent
 * yet. When all connections together hold more than the budget, those that hold most are closed.
 * Thread-safe.
 */
final class HeldBytes {

  private final long budget;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Connection, Long> held = new HashMap<>();
  private long total;

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
        reduceLargest();
      }
    } finally {
      lock.unlock();
    }
  }

  private void set(Connection connection, long bytes) {
    Long before = bytes == 0 ? held.remove(connection) : held.put(connection, bytes);
    total += bytes - (before == null ? 0 : before);
  }

  /** Closes the connection that holds most, unless it has sent some of that by now. */
  private void reduceLargest() {
    Map.Entry<Connection, Long> largest = largest();
    if (largest == null) {
      total = 0;
      return;
    }
    Connection connection = largest.getKey();
    long now = connection.heldBytes();
    if (now < largest.getValue()) {
      set(connection, now);
    } else {
      set(connection, 0);
      connection.close();
    }
  }

  private Map.@Nullable Entry<Connection, Long> largest() {
    return held.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);
  }
}
