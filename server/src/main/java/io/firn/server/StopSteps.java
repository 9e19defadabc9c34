package io.firn.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The steps of a stop. All are taken, also after one that fails. Thread-safe. */
final class StopSteps {

  private static final Logger LOG = System.getLogger("io.firn.server");

  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

  /** Takes a step, and logs its failure. */
  void take(Runnable step) {
    Throwable failure = PeriodicWork.failureOf(step);
    if (failure != null) {
      LOG.log(Level.ERROR, "A step of the stop failed; the others are taken", failure);
      firstFailure.compareAndSet(null, failure);
    }
  }

  /**
   * Reports the end of the last step.
   *
   * @throws IllegalStateException if one failed
   */
  void end() {
    Throwable failure = firstFailure.get();
    if (failure != null) {
      throw new IllegalStateException("The server did not stop in order: " + failure, failure);
    }
  }
}
