package io.firn.segment;

/**
 * Thrown when a counter is behind the numbers that it has issued: a backup was restored, or a
 * replica took over that lagged behind. Numbers that this process holds may have been, or may yet
 * be, handed out again, so it drops them.
 */
public final class CounterWentBackException extends SegmentRefusedException {

  private static final long serialVersionUID = 1L;

  private CounterWentBackException(String message) {
    super(message);
  }

  /** Returns the exception of a counter that gives a number not above an earlier one. */
  public static CounterWentBackException of(String key, Object source, long found, long newest) {
    return new CounterWentBackException(
        "Counter of key "
            + key
            + " in "
            + source
            + " is at "
            + found
            + ", although this process was given numbers up to "
            + newest
            + "; set it above every number in use");
  }

  /** Returns the exception of a counter whose history lacks numbers that it issued. */
  public static CounterWentBackException rewritten(
      String key, Object source, long found, long newest) {
    return new CounterWentBackException(
        "Counter of key "
            + key
            + " in "
            + source
            + " is at "
            + found
            + " and does not remember that this process was given numbers up to "
            + newest
            + "; it went back since, and others may have been given the same");
  }
}
