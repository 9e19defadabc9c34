package io.firn.lease;

import io.firn.FirnException;

/**
 * Thrown when there is no worker ID now that a process may have: all are leased or reserved, the
 * settling time of the store has not ended, or the namespace is about to change its layout. Also
 * thrown when a block of IDs finds no ID time that is free.
 */
public final class NoFreeWorkerException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final long freeInMillis;

  private final boolean endsByItself;

  NoFreeWorkerException(String message, long freeInMillis) {
    this(message, freeInMillis, false);
  }

  NoFreeWorkerException(String message, long freeInMillis, boolean endsByItself) {
    super(message);
    this.freeInMillis = freeInMillis;
    this.endsByItself = endsByItself;
  }

  /** Returns the exception for a store whose new processes wait. */
  static NoFreeWorkerException unsettled(String message, long freeInMillis) {
    return new NoFreeWorkerException(message, freeInMillis, true);
  }

  /** Returns whether the obstacle ends at a known time, regardless of what other processes do. */
  boolean endsByItself() {
    return endsByItself;
  }

  /** Returns the milliseconds until the next worker ID is free, as far as known. */
  long freeInMillis() {
    return Math.max(0, freeInMillis);
  }
}
