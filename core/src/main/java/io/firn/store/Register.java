package io.firn.store;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A register as it was read.
 *
 * @param name its name
 * @param version changes with every write, and is larger after it; never 0
 * @param value what was written last
 */
public record Register(String name, long version, String value) {

  /**
   * Returns the name if a register may have it, for the authors of stores.
   *
   * @throws IllegalArgumentException if it is empty, longer than {@link
   *     RegisterStore#MAX_NAME_LENGTH}, or has half a character of Unicode or U+0000
   */
  public static String requireName(String name) {
    if (name.isEmpty() || name.length() > RegisterStore.MAX_NAME_LENGTH || !isText(name)) {
      throw new IllegalArgumentException(
          "name: "
              + name
              + " (expected: 1.."
              + RegisterStore.MAX_NAME_LENGTH
              + " characters of Unicode text)");
    }
    return name;
  }

  /**
   * Returns the value if a register may have it, for the authors of stores.
   *
   * @throws IllegalArgumentException if it is longer than {@link RegisterStore#MAX_VALUE_LENGTH},
   *     or has half a character of Unicode or U+0000
   */
  public static String requireValue(String value) {
    if (value.length() > RegisterStore.MAX_VALUE_LENGTH || !isText(value)) {
      throw new IllegalArgumentException(
          "value: "
              + value.length()
              + " characters (expected: at most "
              + RegisterStore.MAX_VALUE_LENGTH
              + " of Unicode text)");
    }
    return value;
  }

  /** PostgreSQL and ZooKeeper cannot keep U+0000. */
  private static boolean isText(String text) {
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return text.indexOf('\0') < 0;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
