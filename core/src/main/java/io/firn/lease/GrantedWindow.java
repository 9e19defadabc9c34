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

  /** Null until the generator is closed. */
  private volatile @Nullable End end;

  /**
   * The state of a generator that was closed.
   *
   * @param newestMillis the end of the newest tick that was drawn
   * @param forgotten whether the generator was dropped before: its newest tick is unknown
   * @param hadOpenScopes whether scopes were open
   */
  record End(long newestMillis, boolean forgotten, boolean hadOpenScopes) {}

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

  /** Grants a window, unless the generator is closed; returns whether this call did. */
  boolean grant(LeaseWindow next, Consumer<LeaseWindow> permission) {
    granting.lock();
    try {
      if (end == null) {
        permission.accept(next); // first: a caller that sees the window may draw in it
        window = next;
      }
      return end == null;
    } finally {
      granting.unlock();
    }
  }

  /** Ends the window before the newest tick that was drawn: no more of it may be. */
  void stop(LeasedGenerator generator) {
    LeaseWindow now = window;
    long end = Math.min(now.notAfterMillis(), generator.newestMillis() - 1);
    boolean unused =
        grant(
            new LeaseWindow(now.worker(), now.notBeforeMillis(), end, now.leadMillis()),
            generator::permit);
  }

  /** Closes the generator permanently; returns whether this call did. */
  boolean close() {
    granting.lock();
    try {
      if (end != null) {
        return false;
      }
      LeasedGenerator generator = holder.get();
      end =
          generator == null
              ? new End(Long.MIN_VALUE, kept, false)
              : new End(generator.close(), false, generator.hasOpenScopes());
      return true;
    } finally {
      granting.unlock();
    }
  }

  /** Returns the state of the generator when it was closed; null before. */
  @Nullable End end() {
    return end;
  }

  boolean isClosed() {
    return end != null;
  }
}
