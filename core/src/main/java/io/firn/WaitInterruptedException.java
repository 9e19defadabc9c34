package io.firn;

/**
 * Thrown when a thread is interrupted while it waits for the clock or for a segment; its interrupt
 * status is set.
 */
public final class WaitInterruptedException extends FirnException {

  private static final long serialVersionUID = 1L;

  private WaitInterruptedException(String message) {
    super(message);
  }

  static WaitInterruptedException of(long leftMillis) {
    return of(leftMillis, "the clock");
  }

  /** Returns the exception of a thread that was interrupted with this much time left to wait. */
  public static WaitInterruptedException of(long leftMillis, String awaited) {
    return new WaitInterruptedException(
        "Interrupted with " + leftMillis + " ms left to wait for " + awaited);
  }
}
