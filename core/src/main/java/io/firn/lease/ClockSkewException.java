package io.firn.lease;

import io.firn.FirnException;

/** Thrown when a process that asks for a lease has a clock that others disagree with. */
public final class ClockSkewException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public ClockSkewException(String message) {
    super(message);
  }
}
