package io.firn.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is made once for all clients that ask before it is begun, so that clients that ask
 * all the time delay others by two answers at most. Thread-safe.
 *
 * @param <T> the type of the answer
 */
public final class SharedReport<T> {

  private final Reports reports;
  private final Supplier<T> maker;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<T> next;

  /**
   * Creates an answer that is made when it is asked for.
   *
   * @param maker returns the answer; its exception is that of the result
   */
  public SharedReport(Reports reports, Supplier<T> maker) {
    this.reports = reports;
    this.maker = maker;
  }

  /**
   * Returns the answer, made of what is true now or later. A client that cancels it takes it from
   * no other.
   */
  public CompletableFuture<T> get() {
    lock.lock();
    try {
      if (next == null) {
        next = reports.report(this::make);
      }
      return next.copy();
    } finally {
      lock.unlock();
    }
  }

  private T make() {
    lock.lock();
    try {
      next = null;
    } finally {
      lock.unlock();
    }
    return maker.get();
  }
}
