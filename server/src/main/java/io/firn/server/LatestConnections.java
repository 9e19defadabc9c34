package io.firn.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Connections beyond a limit, which end with their first answer. A new one takes the place of the
 * oldest, so that no client can occupy them. Thread-safe.
 */
final class LatestConnections {

  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Connection> open = new ArrayDeque<>();

  LatestConnections(int most) {
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
      oldest.close(Traffic.Closing.ROOM);
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
