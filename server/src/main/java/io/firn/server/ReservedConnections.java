package io.firn.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections beyond the limit of all others, for probes and monitoring. A new one takes the
 * place of the oldest, so that no client can occupy them: a probe sends its request at once, and
 * its connection ends with the answer. Thread-safe.
 */
final class ReservedConnections {

  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Connection> open = new ArrayDeque<>();

  ReservedConnections(int most) {
    this.most = most;
  }

  /** Adds a connection, and closes the oldest one if there are too many. */
  void add(Connection connection) {
    Connection oldest = null;
    lock.lock();
    try {
      open.add(connection);
      if (open.size() > most) {
        oldest = open.remove();
      }
    } finally {
      lock.unlock();
    }
    if (oldest != null) {
      oldest.close();
    }
  }

  void remove(Connection connection) {
    lock.lock();
    try {
      open.remove(connection);
    } finally {
      lock.unlock();
    }
  }
}
