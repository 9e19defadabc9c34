package io.firn.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A text that is made once for several clients that ask for it before it is begun, so that clients
 * that ask all the time delay others less. Thread-safe.
 */
public final class SharedReport {

  /** The length of all copies of a text. They are sent at once, and delay other clients. */
  private static final int MAX_LENGTH = 200_000;

  private final Reports reports;
  private final Supplier<String> maker;
  private final ReentrantLock lock = new ReentrantLock();

  /** The text that is not begun; null if there is none. Guarded by the lock. */
  private @Nullable Making next;

  /** The number of clients that may share a text. One of unknown length is not shared. */
  private volatile int mostClients = 1;

  /**
   * Creates a text that is made when it is asked for.
   *
   * @param maker returns the text; its exception is that of the result
   */
  public SharedReport(Reports reports, Supplier<String> maker) {
    this.reports = reports;
    this.maker = maker;
  }

  /**
   * Returns the text, made of what is true now or later. A client that waits no longer completes
   * its result, and takes the text from no other.
   */
  public CompletableFuture<String> get() {
    lock.lock();
    try {
      Making making = next;
      if (making == null || making.clients >= mostClients) {
        making = new Making();
        next = making;
      }
      return making.join();
    } finally {
      lock.unlock();
    }
  }

  /** One text, and the clients that wait for it. Guarded by the lock. */
  private final class Making {

    private final CompletableFuture<String> result = reports.report(this::make);
    private int clients;
    private boolean begun;

    private CompletableFuture<String> join() {
      clients++;
      CompletableFuture<String> copy = result.copy();
      copy.whenComplete(
          (text, failure) -> {
            if (!result.isDone()) {
              leave();
            }
          });
      return copy;
    }

    private void leave() {
      lock.lock();
      try {
        clients--;
        if (clients == 0 && !begun) {
          end();
          result.cancel(false);
        }
      } finally {
        lock.unlock();
      }
    }

    private String make() {
      lock.lock();
      try {
        begun = true;
        end();
      } finally {
        lock.unlock();
      }
      String text = maker.get();
      mostClients = MAX_LENGTH / Math.min(Math.max(text.length(), 1), MAX_LENGTH);
      return text;
    }

    /** Has no more clients join. */
    private void end() {
      if (next == this) {
        next = null;
      }
    }
  }
}
