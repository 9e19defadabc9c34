package io.firn;

/**
 * Thrown when a thread is interrupted while it waits for the clock; its interrupt status is set.
 */
public final class WaitInterruptedException extends FirnException {

  private static final long serialVersionUID = 1L;

  private WaitInterruptedException(String message) {
    super(message);
  }

  static WaitInterruptedException of(long leftMillis) {
    return new WaitInterruptedException(
        "thread: interrupted with " + leftMillis + " ms to wait (expected: to wait for the clock)");
  }
}
