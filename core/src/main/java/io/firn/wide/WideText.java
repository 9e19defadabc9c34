package io.firn.wide;

import io.firn.internal.Alphabet;

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
      number = number << 4 | digit(name, text, i, Alphabet.HEX);
    }
    return number;
  }

  static int digit(String name, CharSequence text, int index, Alphabet alphabet) {
    int value = alphabet.value(text.charAt(index));
    if (value < 0) {
      throw refused(
          name, text, "a digit of base " + alphabet.base() + " at position " + (index + 1));
    }
    return value;
  }

  /** Refuses the first character of a part that is no digit. */
  static void requireDigits(String name, CharSequence text, int from, int to, Alphabet alphabet) {
    for (int i = from; i < to; i++) {
      digit(name, text, i, alphabet);
    }
  }
}
