package io.firn.lease;

import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The window that a generator may draw in, and its end. The generator is held weakly. Thread-safe.
 */
final class GrantedWindow {

  /** Guards the calls of the generator; never held while a store or a listener is called. */
  private final ReentrantLock granting = new ReentrantLock();

  private WeakReference<LeasedGenerator> holder = new WeakReference<>(null);
  private boolean kept;
  private volatile LeaseWindow window;
  private volatile boolean closed;
  private volatile boolean forgotten;
  private volatile boolean hadOpenScopes;
  private volatile long newestAtClose = Long.MIN_VALUE;

  GrantedWindow(LeaseWindow window) {
    this.window = window;
  }

  /** Names the generator that draws in the windows. */
  void drawnBy(LeasedGenerator generator) {
    granting.lock();
    try {
      holder = new WeakReference<>(generator);
      kept = true;
    } finally {
      granting.unlock();
    }
  }

  /** Returns the generator; null if it was dropped without being closed. */
  @Nullable LeasedGenerator generator() {
    return holder.get();
  }

  LeaseWindow window() {
    return window;
  }

  /** Grants a window, unless the generator is closed. */
  void grant(LeaseWindow next, Consumer<LeaseWindow> permission) {
    granting.lock();
    try {
      if (!closed) {
        permission.accept(next); // first: a caller that sees the window may draw in it
        window = next;
      }
    } finally {
      granting.unlock();
    }
  }

  /** Ends the window before the newest tick that was drawn: no more of it may be. */
  void stop(LeasedGenerator generator) {
    LeaseWindow now = window;
    long end = Math.min(now.notAfterMillis(), generator.newestMillis() - 1);
    grant(
        new LeaseWindow(now.worker(), now.notBeforeMillis(), end, now.leadMillis()),
        generator::permit);
  }

  /** Closes the generator permanently; returns whether this call did. */
  boolean close() {
    granting.lock();
    try {
      if (closed) {
        return false;
      }
      LeasedGenerator generator = holder.get();
      newestAtClose = generator == null ? Long.MIN_VALUE : generator.close();
      forgotten = kept && generator == null;
      hadOpenScopes = generator != null && generator.hasOpenScopes();
      closed = true;
      return true;
    } finally {
      granting.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns whether the generator was dropped before it was closed: its last ID is unknown. */
  boolean isForgotten() {
    return forgotten;
  }

  /** Returns whether scopes were open when the generator was closed. */
  boolean hadOpenScopes() {
    return hadOpenScopes;
  }

  /** Returns the end of the newest tick that was drawn before the generator was closed. */
  long newestAtClose() {
    return newestAtClose;
  }
}
