package io.firn.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Alphabets, and how a number becomes digits of those that have no {@link Radix}. Callers pass
 * widths as literals: the compiler then unrolls the loops.
 */
final class Digits {

  static final byte[] DECIMAL = ascii("0123456789");
  static final byte[] HEX = ascii("0123456789abcdef");
  static final byte[] BINARY = ascii("01");
  static final byte[] BASE62 =
      ascii("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  static final byte[] BASE58 = ascii("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ");
  static final byte[] BASE36 = ascii("0123456789abcdefghijklmnopqrstuvwxyz");
  static final byte[] BASE32 = ascii("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  static final byte[] BASE64URL =
      ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  /** The two digits of each number of ten bits, the first one in the upper byte. */
  private static final short[] BASE32_PAIRS = pairs(BASE32);

  private static final int PAIR_MASK = 1023;
  private static final int DECIMALS_AT_ONCE = 8;
  private static final int TEN_TO_THE_8 = 100_000_000;
  private static final long TEN_TO_THE_19 = -8446744073709551616L;

  private Digits() {}

  private static byte[] ascii(String alphabet) {
    return alphabet.getBytes(StandardCharsets.US_ASCII);
  }

  private static short[] pairs(byte[] digits) {
    short[] pairs = new short[digits.length * digits.length];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = (short) (digits[i / digits.length] << Byte.SIZE | digits[i % digits.length]);
    }
    return pairs;
  }

  /** Digits of 2 to the power of {@code bits}. */
  static void shift(long id, int bits, int width, byte[] digits, byte[] target, int offset) {
    long rest = id;
    for (int at = offset + width; --at >= offset; rest >>>= bits) {
      target[at] = digits[(int) rest & ((1 << bits) - 1)];
    }
  }

  /** As {@link #shift} with 5 bits and 13 digits, two digits at once. */
  static void base32(long id, byte[] target, int offset) {
    target[offset] = BASE32[(int) (id >>> 60)];
    for (int i = 1; i < 13; i += 2) {
      SHORTS.set(target, offset + i, BASE32_PAIRS[(int) (id >>> (55 - 5 * i)) & PAIR_MASK]);
    }
  }

  /**
   * As {@link #shift}, at the end of the target. Characters are set rather than appended, so that
   * the builder grows once.
   */
  static void appendShifted(long id, int bits, int width, byte[] digits, StringBuilder target) {
    int offset = target.length();
    target.setLength(offset + width);
    for (int i = 0; i < width; i++) {
      target.setCharAt(
          offset + i, (char) digits[(int) (id >>> (bits * (width - 1 - i))) & ((1 << bits) - 1)]);
    }
  }

  static void appendDecimal(long id, StringBuilder target) {
    if (id >= 0) {
      target.append(id);
    } else {
      long above = half(id, 10);
      target.append(above).append((char) DECIMAL[(int) (id - above * 10)]);
    }
  }

  /** Returns the unsigned quotient by an even number. */
  private static long half(long dividend, int divisor) {
    return (dividend >>> 1) / (divisor >> 1);
  }

  /** Writes all digits of a number and returns how many. */
  static int decimal(long id, byte[] target, int offset) {
    int length = decimalLength(id);
    int at = offset + length;
    long rest = id;
    while (at - offset > DECIMALS_AT_ONCE) {
      long above = half(rest, TEN_TO_THE_8);
      int low = (int) (rest - above * TEN_TO_THE_8);
      for (int i = 0; i < DECIMALS_AT_ONCE; i++, low /= 10) {
        target[--at] = DECIMAL[low % 10];
      }
      rest = above;
    }
    for (int low = (int) rest; at > offset; low /= 10) {
      target[--at] = DECIMAL[low % 10];
    }
    return length;
  }

  static int decimalLength(long id) {
    if (id < 0) {
      return Long.compareUnsigned(id, TEN_TO_THE_19) < 0 ? 19 : 20;
    }
    int length = 1;
    for (long power = 10; length < 19 && id >= power; power *= 10) {
      length++;
    }
    return length;
  }
}
