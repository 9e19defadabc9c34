package io.firn.lease;

import io.firn.FirnException;

/** Thrown when a process comes to a namespace with another layout than the namespace has. */
public final class LayoutMismatchException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public LayoutMismatchException(String message) {
    super(message);
  }
}
