package io.firn.server;

/** The text of an error that a client is sent. */
public final class ErrorText {

  /** Enough for what is wrong, and for the rule behind it. */
  private static final int KEPT_AT_EACH_END = 400;

  private static final String GAP = " … ";

  private ErrorText() {}

  /** Returns the message without its middle if it repeats much of what the client sent. */
  public static String shorten(String message) {
    int length = message.length();
    return length <= 2 * KEPT_AT_EACH_END + GAP.length()
        ? message
        : message.substring(0, KEPT_AT_EACH_END)
            + GAP
            + message.substring(length - KEPT_AT_EACH_END);
  }
}
