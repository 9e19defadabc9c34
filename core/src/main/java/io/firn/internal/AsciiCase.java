package io.firn.internal;

/** Upper and lower case of the letters A to Z alone, so that the Kelvin sign is no k. */
public final class AsciiCase {

  private AsciiCase() {}

  /** Returns the text with the letters A to Z in lower case. */
  public static String lower(String text) {
    StringBuilder lower = new StringBuilder(text);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        lower.setCharAt(i, (char) (c - 'A' + 'a'));
      }
    }
    return lower.toString();
  }
}
