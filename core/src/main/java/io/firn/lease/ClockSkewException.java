package io.firn.lease;

import io.firn.FirnException;

/**
 * Thrown when the clock of a process that requests a lease is too far from the clocks of others.
 */
public final class ClockSkewException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public ClockSkewException(String message) {
    super(message);
  }
}
