package io.firn.lease;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Reports the end of each window of a lease once, and not after the next window began. Thread-safe.
 */
final class ExpiryReport {

  private final BooleanSupplier isOver;
  private final Runnable report;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile long window;
  private boolean reported;

  /**
   * Creates the report of a lease whose first window has begun.
   *
   * @param isOver whether the current window is over
   * @param report reports the end of the current window
   */
  ExpiryReport(BooleanSupplier isOver, Runnable report) {
    this.isOver = isOver;
    this.report = report;
  }

  /** Returns the number of the current window. */
  long window() {
    return window;
  }

  /**
   * Reports the end of a window, unless another one began.
   *
   * @param ended its number, which was read before its end
   */
  void report(long ended) {
    lock.lock();
    try {
      if (ended == window && !reported) {
        reported = true;
        report.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports the end of the current window if it is over. No other thread may have noticed it, as
   * after a pause of the process.
   */
  void reportIfOver() {
    lock.lock();
    try {
      if (isOver.getAsBoolean()) {
        report(window);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Begins the window of another acquisition. */
  void begin() {
    lock.lock();
    try {
      next(false);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins the window of a renewal. If the store answered so late that this one is over too, its
   * end counts as reported with that of the window before.
   *
   * @return whether the lease is valid again or still
   */
  boolean extend() {
    lock.lock();
    try {
      next(reported && isOver.getAsBoolean());
      return !reported;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  private void next(boolean isReported) {
    window++;
    reported = isReported;
  }
}
