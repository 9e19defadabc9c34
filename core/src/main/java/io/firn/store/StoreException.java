package io.firn.store;

import io.firn.FirnException;

/** Thrown when a register store cannot be asked, or refused a write without applying it. */
public class StoreException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public StoreException(String message) {
    super(message);
  }

  /** Creates an exception with a message for the operator and what caused it. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
