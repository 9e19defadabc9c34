package io.firn.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A text form of 64-bit IDs, which are taken as unsigned. All forms but {@link #DECIMAL} have a
 * fixed width and sort like the numbers, byte by byte. Thread-safe.
 */
public enum IdFormat {
  /** The number itself, without leading zeros: 1 to 20 digits. */
  DECIMAL(10, 20, "0123456789"),
  /** 16 hexadecimal digits in lower case; upper case is read too. */
  HEX(16, 16, "0123456789abcdef"),
  /** 64 binary digits. */
  BINARY(2, 64, "01"),
  /** 11 digits and letters, upper case before lower case. */
  BASE62(62, 11, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
  /**
   * 13 characters of <a href="https://www.crockford.com/base32.html">Crockford's base 32</a>. Lower
   * case is read too, and so are O as 0, I and L as 1.
   */
  BASE32(32, 13, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");

  private static final byte NO_DIGIT = -1;

  private final int base;
  private final int width;

  @SuppressWarnings("ImmutableEnumChecker") // never changed after construction, never handed out
  private final byte[] digits;

  @SuppressWarnings("ImmutableEnumChecker") // as digits
  private final byte[] values = new byte[128];

  IdFormat(int base, int width, String alphabet) {
    this.base = base;
    this.width = width;
    digits = alphabet.getBytes(StandardCharsets.US_ASCII);
    Arrays.fill(values, NO_DIGIT);
    for (byte value = 0; value < base; value++) {
      char digit = alphabet.charAt(value);
      values[digit] = value;
      if (base <= 36) {
        values[Character.toLowerCase(digit)] = value;
        values[Character.toUpperCase(digit)] = value;
      }
    }
    if (base == 32) {
      readAs("Oo", (byte) 0);
      readAs("IiLl", (byte) 1);
    }
  }

  private void readAs(String letters, byte value) {
    for (int i = 0; i < letters.length(); i++) {
      values[letters.charAt(i)] = value;
    }
  }

  /** The longest text of this form, in characters. */
  public int maxLength() {
    return width;
  }

  /** The text of an ID. */
  public String format(long id) {
    byte[] text = new byte[width];
    return new String(text, 0, write(id, text, 0), StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes the text of an ID as ASCII.
   *
   * @param offset where in {@code target} to begin; {@link #maxLength} bytes must follow
   * @return the number of bytes written
   */
  public int write(long id, byte[] target, int offset) {
    int length = this == DECIMAL ? decimalDigits(id) : width;
    int at = offset + length;
    long rest = id;
    if (rest < 0) {
      target[--at] = digits[(int) Long.remainderUnsigned(rest, base)];
      rest = Long.divideUnsigned(rest, base);
    }
    while (at > offset) {
      long quotient = rest / base;
      target[--at] = digits[(int) (rest - quotient * base)];
      rest = quotient;
    }
    return length;
  }

  private static int decimalDigits(long id) {
    if (id < 0) {
      return Long.compareUnsigned(id, -8446744073709551616L) < 0 ? 19 : 20;
    }
    int length = 1;
    for (long power = 10; length < 19 && id >= power; power *= 10) {
      length++;
    }
    return length;
  }

  /**
   * Reads an ID back.
   *
   * @throws IllegalArgumentException if the text is not exactly of this form: wrong length, a
   *     character outside the alphabet (with its position, from 1), a leading zero in a decimal, or
   *     more than 64 bits
   */
  public long parse(CharSequence text) {
    int length = text.length();
    boolean fits = this == DECIMAL ? length >= 1 && length <= width : length == width;
    if (!fits) {
      throw refused(text, (this == DECIMAL ? "1.." : "") + width + " characters");
    }
    if (this == DECIMAL && length > 1 && text.charAt(0) == '0') {
      throw refused(text, "no leading zero");
    }
    long highest = Long.divideUnsigned(-1L, base);
    long id = 0;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      int value = c < values.length ? values[c] : NO_DIGIT;
      if (value < 0) {
        throw refused(text, "a digit of base " + base + " at position " + (i + 1));
      }
      long next = id * base + value;
      if (Long.compareUnsigned(id, highest) > 0 || Long.compareUnsigned(next, value) < 0) {
        throw refused(text, "at most " + format(-1L) + ", 64 bits");
      }
      id = next;
    }
    return id;
  }

  private IllegalArgumentException refused(CharSequence text, String expected) {
    return new IllegalArgumentException(
        name().toLowerCase(Locale.ROOT) + ": " + text + " (expected: " + expected + ")");
  }
}
