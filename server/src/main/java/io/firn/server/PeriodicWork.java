package io.firn.server;

import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs work that is repeated. A failure ends neither the repetition nor the other parts of the
 * work. It is logged, once a minute at most. Thread-safe.
 */
final class PeriodicWork {

  private static final Logger LOG = System.getLogger("io.firn.server");
  private static final long LOG_PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private final AtomicLong loggedNanos;

  PeriodicWork(TimeSource time) {
    this.time = time;
    loggedNanos = new AtomicLong(time.nanoTime() - LOG_PERIOD_NANOS);
  }

  /** Returns the work as a task that never fails, because a scheduler drops one that does. */
  Runnable task(Runnable work) {
    return () -> run(work);
  }

  /** Runs a part of the work, and logs its failure. */
  void run(Runnable part) {
    Throwable failure = failureOf(part);
    if (failure != null && isTimeToLog()) {
      LOG.log(Level.ERROR, "Periodic work of the server failed; the rest of it goes on", failure);
    }
  }

  private boolean isTimeToLog() {
    long now = time.nanoTime();
    long before = loggedNanos.get();
    return now - before >= LOG_PERIOD_NANOS && loggedNanos.compareAndSet(before, now);
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
