package io.firn.text;

/** The one constructor of String that takes bytes as they are, and asks no charset about them. */
final class Ascii {

  private static final int HIGH_BYTE = 0;

  private Ascii() {}

  /** Deprecated, and used on purpose: each byte is a character. */
  @SuppressWarnings("deprecation")
  static String text(byte[] ascii) {
    return new String(ascii, HIGH_BYTE, 0, ascii.length);
  }
}
