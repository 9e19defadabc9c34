package io.firn.wide;

import io.firn.text.IdFormat;

/** Digits of IDs that are wider than 64 bits, and what is said of texts that are none. */
final class WideText {

  private WideText() {}

  static IllegalArgumentException refused(String name, CharSequence text, String expected) {
    return new IllegalArgumentException(name + ": " + text + " (expected: " + expected + ")");
  }

  static void requireLength(String name, CharSequence text, int length) {
    if (text.length() != length) {
      throw refused(name, text, length + " characters");
    }
  }

  static void requireBytes(String name, byte[] bytes, int length) {
    if (bytes.length != length) {
      throw new IllegalArgumentException(
          name + ": " + bytes.length + " bytes (expected: " + length + ")");
    }
  }

  /** Returns the hexadecimal digits of that part of the text, at most 16. */
  static long hex(String name, CharSequence text, int from, int to) {
    long number = 0;
    for (int i = from; i < to; i++) {
      number = number << 4 | digit(name, text, i, IdFormat.HEX);
    }
    return number;
  }

  static int digit(String name, CharSequence text, int index, IdFormat form) {
    int value = form.value(text.charAt(index));
    if (value < 0) {
      throw refused(name, text, "a digit of base " + form.base() + " at position " + (index + 1));
    }
    return value;
  }
}
