package io.firn.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The digits of a base, in ASCII, and their values. A record, because a JIT compiler trusts the
 * fields of a constant record: it knows the lengths of the tables, and leaves out checks of an
 * index.
 *
 * @param digits the digits, that of zero first
 * @param values the value of each byte that is a digit, -1 for others
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record Alphabet(byte[] digits, byte[] values) {

  /** 16 digits in lower case; upper case is read too. */
  public static final Alphabet HEX = ofOneCase("0123456789abcdef");

  /** Crockford's base 32; lower case is read too, and so are O as 0, I and L as 1. */
  public static final Alphabet BASE32 =
      ofOneCase("0123456789ABCDEFGHJKMNPQRSTVWXYZ").reads("Oo", 0).reads("IiLl", 1);

  private static final int BASE32_MASK = 31;
  private static final byte NO_DIGIT = -1;

  /** Creates an alphabet. */
  public static Alphabet of(String digits) {
    byte[] values = new byte[1 << Byte.SIZE];
    Arrays.fill(values, NO_DIGIT);
    return new Alphabet(digits.getBytes(StandardCharsets.US_ASCII), values).readsAll(digits);
  }

  /** Creates an alphabet whose letters are read in both cases. */
  public static Alphabet ofOneCase(String digits) {
    return of(digits)
        .readsAll(digits.toLowerCase(Locale.ROOT))
        .readsAll(digits.toUpperCase(Locale.ROOT));
  }

  private Alphabet readsAll(String characters) {
    for (int value = 0; value < characters.length(); value++) {
      values[characters.charAt(value)] = (byte) value;
    }
    return this;
  }

  private Alphabet reads(String characters, int value) {
    for (int i = 0; i < characters.length(); i++) {
      values[characters.charAt(i)] = (byte) value;
    }
    return this;
  }

  /** Returns the digit of the five bits at a position, counted from the lowest. */
  public static char base32(long bits, int position) {
    return BASE32.digit((int) (bits >>> position) & BASE32_MASK);
  }

  /** Returns the number of digits. */
  public int base() {
    return digits.length;
  }

  /**
   * Returns the digit of a value.
   *
   * @param value 0..{@link #base}-1
   */
  public char digit(int value) {
    return (char) (digits[value] & 0xFF);
  }

  /** Returns the value of a character, -1 if it is no digit. */
  public int value(char character) {
    return character < values.length ? values[character] : NO_DIGIT;
  }

  /**
   * Returns the value of the four digits at an index, in a base that is a power of two. It is
   * negative if one of them is no digit: -1 has its highest bits at any shift.
   */
  public int four(CharSequence text, int index) {
    int bits = Integer.numberOfTrailingZeros(base());
    return value(text.charAt(index)) << (3 * bits)
        | value(text.charAt(index + 1)) << (2 * bits)
        | value(text.charAt(index + 2)) << bits
        | value(text.charAt(index + 3));
  }
}
