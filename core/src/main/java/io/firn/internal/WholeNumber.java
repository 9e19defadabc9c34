package io.firn.internal;

import java.util.regex.Pattern;

/** Reads whole numbers in the digits of ASCII. {@link Long#parseLong(String)} takes others too. */
public final class WholeNumber {

  private static final Pattern FORM = Pattern.compile("-?[0-9]+");

  private WholeNumber() {}

  /**
   * Returns the number that a text writes: digits of ASCII, with a minus in front or nothing.
   *
   * @throws NumberFormatException if it writes none, or one that does not fit
   */
  public static long parse(String text) {
    if (!FORM.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    return Long.parseLong(text);
  }
}
