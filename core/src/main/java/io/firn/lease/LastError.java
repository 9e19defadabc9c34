package io.firn.lease;

import io.firn.FirnException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The error of the last attempt to extend the window of a lease, and the doubt about the clock of
 * this host at the last one that succeeded. Of each, the first in a row is logged, and its end.
 * Written by the maintenance of the lease, read by any thread.
 */
final class LastError {

  private final LeaseEvents events;
  private final Supplier<String> lease;

  private volatile @Nullable String text;
  private volatile @Nullable String doubt;

  /** True if a renewal failed, and none has succeeded since. */
  private boolean logged;

  /**
   * Creates the state of a lease without a failure.
   *
   * @param lease describes the lease in the log
   */
  LastError(LeaseEvents events, Supplier<String> lease) {
    this.events = events;
    this.lease = lease;
  }

  /** Returns the failure; empty if the last attempt succeeded. */
  Optional<String> text() {
    return Optional.ofNullable(text);
  }

  /** Returns why the clock was not trusted when the window was extended last, if it was not. */
  Optional<String> doubt() {
    return Optional.ofNullable(doubt);
  }

  /** Returns whether a caller whose window is over need not wait: there is a failure or a doubt. */
  boolean isThere() {
    return text != null || doubt != null;
  }

  /** Records a failure that is logged already. */
  void begin(String failure) {
    text = failure;
    logged = true;
  }

  void record(Throwable e) {
    String failure = e instanceof FirnException ? String.valueOf(e.getMessage()) : e.toString();
    boolean first = text == null;
    text = failure;
    if (first) {
      logged = true;
      events.log(Level.WARNING, "not renewed: " + lease.get() + "; " + failure, e);
    }
  }

  /** Forgets failure and doubt, without a word in the log. */
  void forget() {
    text = null;
    doubt = null;
  }

  /**
   * Records that the window was extended, which ends a failure.
   *
   * @param doubt why the clock of this host was not trusted then; null if it was
   */
  void end(@Nullable String doubt) {
    boolean doubted = this.doubt != null;
    this.doubt = doubt;
    text = null;
    if (logged) {
      logged = false;
      events.log(Level.INFO, "renewed again: " + lease.get(), null);
    }
    if (doubt != null && !doubted) {
      events.log(Level.WARNING, "clock in doubt: " + lease.get() + "; " + doubt, null);
    } else if (doubt == null && doubted) {
      events.log(Level.INFO, "clock trusted again: " + lease.get(), null);
    }
  }

  /** Records why the worker ID is not released. */
  void recordNotReleased(String failure, @Nullable Throwable cause) {
    text = failure;
    events.log(
        Level.WARNING,
        "not released: " + lease.get() + "; it stays taken until then; " + failure,
        cause);
  }

  /** Records that the worker ID cannot be released, because it was lost. */
  void recordLost() {
    text = text().orElse("the lease was lost before");
  }
}
