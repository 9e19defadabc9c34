package io.firn.lease;

import io.firn.FirnException;

/** Thrown when every worker ID that a process may have is leased to another. */
public final class NoFreeWorkerException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final long freeInMillis;

  NoFreeWorkerException(String message, long freeInMillis) {
    super(message);
    this.freeInMillis = freeInMillis;
  }

  /** Returns in how many milliseconds the next worker ID is free, if no more than that is known. */
  long freeInMillis() {
    return Math.max(0, freeInMillis);
  }
}
