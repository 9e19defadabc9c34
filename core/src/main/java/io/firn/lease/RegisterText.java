package io.firn.lease;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The limits that every store has in common. */
final class RegisterText {

  private RegisterText() {}

  static String name(String name) {
    if (name.isEmpty() || name.length() > RegisterStore.MAX_NAME_LENGTH || !isUnicode(name)) {
      throw new IllegalArgumentException(
          "name: "
              + name
              + " (expected: 1.."
              + RegisterStore.MAX_NAME_LENGTH
              + " characters of Unicode text)");
    }
    return name;
  }

  static String value(String value) {
    if (value.length() > RegisterStore.MAX_VALUE_LENGTH || !isUnicode(value)) {
      throw new IllegalArgumentException(
          "value: "
              + value.length()
              + " characters (expected: at most "
              + RegisterStore.MAX_VALUE_LENGTH
              + " of Unicode text)");
    }
    return value;
  }

  private static boolean isUnicode(String text) {
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
