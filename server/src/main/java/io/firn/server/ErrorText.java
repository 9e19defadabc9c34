package io.firn.server;

import java.util.Locale;
import java.util.regex.Pattern;

/** The text of an error that a client is sent, or that a command prints. */
public final class ErrorText {

  /** Enough for what is wrong, and for the rule behind it. */
  private static final int KEPT_AT_EACH_END = 400;

  private static final String GAP = " … ";

  private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

  private ErrorText() {}

  /** Returns the message with its control characters in the form that Java has for them. */
  public static String printable(String message) {
    return CONTROL
        .matcher(message)
        .replaceAll(
            found -> String.format(Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)));
  }

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
