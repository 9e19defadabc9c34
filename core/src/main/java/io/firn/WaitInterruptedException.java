package io.firn;

/**
 * Thrown when a thread is interrupted while it waits for the clock; its interrupt status is set.
 */
public final class WaitInterruptedException extends FirnException {

  private static final long serialVersionUID = 1L;

  WaitInterruptedException(String message) {
    super(message);
  }
}
