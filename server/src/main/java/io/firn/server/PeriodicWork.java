package io.firn.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Runs work that is repeated. A failure ends neither the repetition nor the other parts of the
 * work. It is logged. Thread-safe.
 */
final class PeriodicWork {

  private static final Logger LOG = System.getLogger("io.firn.server");

  private PeriodicWork() {}

  /** Returns the work as a task that never fails, because a scheduler drops one that does. */
  static Runnable task(Runnable work) {
    return () -> run(work);
  }

  /** Runs a part of the work, and logs its failure. */
  static void run(Runnable part) {
    Throwable failure = failureOf(part);
    if (failure != null) {
      LOG.log(Level.ERROR, "Periodic work of the server failed; the rest of it goes on", failure);
    }
  }

  /** Runs an action, and returns what it throws; null if that is nothing. */
  static @Nullable Throwable failureOf(Runnable action) {
    try {
      action.run();
      return null;
    } catch (RuntimeException | Error e) { // whatever it is, others go on
      return e;
    }
  }
}
