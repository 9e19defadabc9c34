package io.firn.integration;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A start by the first of its callers. One caller at a time tries, and those that wait meanwhile
 * share its failure: none waits for one attempt after the other. Thread-safe.
 *
 * @param <T> the type of what is started
 */
public final class SharedStart<T> {

  /** Fair, so that all callers that waited for an attempt return before the next one begins. */
  private final ReentrantLock lock = new ReentrantLock(true);

  private volatile @Nullable RuntimeException failure;

  /** Creates a start that was not tried. */
  public SharedStart() {}

  /**
   * Returns what was started before, or starts it. A failure is that of this caller and of those
   * that wait; one of a thread that was interrupted is its own.
   *
   * @param started returns what was started before, or null; an exception is that of this caller
   * @param attempt starts it
   */
  public T get(Supplier<@Nullable T> started, Supplier<T> attempt) {
    RuntimeException before = failure;
    lock.lock();
    try {
      T known = started.get();
      if (known != null) {
        return known;
      }
      RuntimeException last = failure;
      if (last != null && last != before) {
        throw last;
      }
      return tried(attempt);
    } finally {
      lock.unlock();
    }
  }

  private T tried(Supplier<T> attempt) {
    try {
      return attempt.get();
    } catch (RuntimeException e) {
      if (!Thread.currentThread().isInterrupted()) {
        failure = e;
      }
      throw e;
    }
  }

  /** Runs an action while nothing is started. */
  public void exclude(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
