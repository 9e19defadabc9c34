package io.firn.testservers;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/** Closes what is still open when this JVM ends, newest first. */
final class AtExit {

  private static final Deque<AutoCloseable> OPEN = new ArrayDeque<>();
  private static final ReentrantLock LOCK = new ReentrantLock();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::closeAll, "firn-testservers-exit"));
  }

  private AtExit() {}

  static void close(AutoCloseable open) {
    LOCK.lock();
    try {
      if (!OPEN.contains(open)) {
        OPEN.push(open);
      }
    } finally {
      LOCK.unlock();
    }
  }

  static void forget(AutoCloseable closed) {
    LOCK.lock();
    try {
      OPEN.remove(closed);
    } finally {
      LOCK.unlock();
    }
  }

  private static void closeAll() {
    for (AutoCloseable next = OPEN.peek(); next != null; next = OPEN.peek()) {
      forget(next);
      try {
        next.close();
      } catch (Exception e) {
        System.getLogger(AtExit.class.getName()).log(System.Logger.Level.WARNING, "" + next, e);
      }
    }
  }
}
