package io.firn;

/**
 * Thrown when a thread is interrupted while it waits for the clock, for a worker ID or a window of
 * its lease, for a segment, or for a server. Its interrupt status is set. The message says what it
 * waited for.
 */
public final class WaitInterruptedException extends FirnException {

  private static final long serialVersionUID = 1L;

  private WaitInterruptedException(String message) {
    super(message);
  }

  /**
   * Returns the exception of a thread that was interrupted.
   *
   * @param leftMillis how long it would have waited on
   * @param awaited what it waited for
   */
  public static WaitInterruptedException of(long leftMillis, String awaited) {
    return new WaitInterruptedException(
        "Interrupted with " + leftMillis + " ms left to wait for " + awaited);
  }
}
