package io.firn.lease;

import io.firn.FirnException;

/** Thrown when every worker ID that a process may have is leased to another. */
public final class NoFreeWorkerException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** An exception with a message for the operator. */
  public NoFreeWorkerException(String message) {
    super(message);
  }
}
