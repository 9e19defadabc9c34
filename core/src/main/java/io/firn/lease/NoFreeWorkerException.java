package io.firn.lease;

import io.firn.FirnException;

/** Thrown when every worker ID that a process may have is leased to another. */
public final class NoFreeWorkerException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final long freeInMillis;

  private final boolean unsettled;

  NoFreeWorkerException(String message, long freeInMillis) {
    this(message, freeInMillis, false);
  }

  private NoFreeWorkerException(String message, long freeInMillis, boolean unsettled) {
    super(message);
    this.freeInMillis = freeInMillis;
    this.unsettled = unsettled;
  }

  /** Returns the exception for a store whose newcomers wait. */
  static NoFreeWorkerException unsettled(String message, long freeInMillis) {
    return new NoFreeWorkerException(message, freeInMillis, true);
  }

  /** Returns whether it is the settling time of the store that has to end. */
  boolean isUnsettled() {
    return unsettled;
  }

  /** Returns the milliseconds until the next worker ID is free, as far as known. */
  long freeInMillis() {
    return Math.max(0, freeInMillis);
  }
}
