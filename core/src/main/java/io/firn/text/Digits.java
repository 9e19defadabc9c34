package io.firn.text;

import io.firn.internal.Alphabet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Alphabets, and how a number becomes digits of those that have no {@link Radix}. Callers pass
 * widths as literals: the compiler then unrolls the loops.
 */
final class Digits {

  static final Alphabet DECIMAL = Alphabet.of("0123456789");
  static final Alphabet BINARY = Alphabet.of("01");
  static final Alphabet BASE62 =
      Alphabet.of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  static final Alphabet BASE58 =
      Alphabet.of("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ");
  static final Alphabet BASE36 = Alphabet.ofOneCase("0123456789abcdefghijklmnopqrstuvwxyz");
  static final Alphabet BASE64URL =
      Alphabet.of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  /** The two digits of each number of ten bits, the first one in the upper byte. */
  private static final short[] BASE32_PAIRS = pairs(Alphabet.BASE32.digits());

  private static final int PAIR_MASK = 1023;
  private static final int DECIMALS_AT_ONCE = 8;
  private static final int TEN_TO_THE_8 = 100_000_000;
  private static final long TEN_TO_THE_19 = -8446744073709551616L;

  private Digits() {}

  private static short[] pairs(byte[] digits) {
    short[] pairs = new short[digits.length * digits.length];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = (short) (digits[i / digits.length] << Byte.SIZE | digits[i % digits.length]);
    }
    return pairs;
  }

  /** Writes digits of the base 2 to the power of {@code bits}. */
  static void shift(long id, int bits, int width, Alphabet digits, byte[] target, int offset) {
    long rest = id;
    for (int at = offset + width; --at >= offset; rest >>>= bits) {
      target[at] = (byte) digits.digit((int) rest & ((1 << bits) - 1));
    }
  }

  /** Writes what {@link #shift} writes with 5 bits and 13 digits, two digits at once. */
  static void base32(long id, byte[] target, int offset) {
    target[offset] = (byte) Alphabet.base32(id, 60);
    for (int i = 1; i < 13; i += 2) {
      SHORTS.set(target, offset + i, BASE32_PAIRS[(int) (id >>> (55 - 5 * i)) & PAIR_MASK]);
    }
  }

  /** Returns what {@link #shift} writes with 5 bits and 13 digits, as text. */
  @SuppressWarnings("UnnecessaryStringBuilder") // see Ascii
  static String base32(long id) {
    return new StringBuilder()
        .append(Alphabet.base32(id, 60))
        .append(Alphabet.base32(id, 55))
        .append(Alphabet.base32(id, 50))
        .append(Alphabet.base32(id, 45))
        .append(Alphabet.base32(id, 40))
        .append(Alphabet.base32(id, 35))
        .append(Alphabet.base32(id, 30))
        .append(Alphabet.base32(id, 25))
        .append(Alphabet.base32(id, 20))
        .append(Alphabet.base32(id, 15))
        .append(Alphabet.base32(id, 10))
        .append(Alphabet.base32(id, 5))
        .append(Alphabet.base32(id, 0))
        .toString();
  }

  /** Appends what {@link #base32(long)} returns. */
  static void appendBase32(long id, StringBuilder target) {
    int offset = target.length();
    target.append(Ascii.THIRTEEN);
    target.setCharAt(offset, Alphabet.base32(id, 60));
    target.setCharAt(offset + 1, Alphabet.base32(id, 55));
    target.setCharAt(offset + 2, Alphabet.base32(id, 50));
    target.setCharAt(offset + 3, Alphabet.base32(id, 45));
    target.setCharAt(offset + 4, Alphabet.base32(id, 40));
    target.setCharAt(offset + 5, Alphabet.base32(id, 35));
    target.setCharAt(offset + 6, Alphabet.base32(id, 30));
    target.setCharAt(offset + 7, Alphabet.base32(id, 25));
    target.setCharAt(offset + 8, Alphabet.base32(id, 20));
    target.setCharAt(offset + 9, Alphabet.base32(id, 15));
    target.setCharAt(offset + 10, Alphabet.base32(id, 10));
    target.setCharAt(offset + 11, Alphabet.base32(id, 5));
    target.setCharAt(offset + 12, Alphabet.base32(id, 0));
  }

  /**
   * Appends what {@link #shift} writes. Characters are set rather than appended, so that the
   * builder grows once.
   */
  static void appendShifted(long id, int bits, int width, Alphabet digits, StringBuilder target) {
    int offset = target.length();
    target.setLength(offset + width);
    for (int i = 0; i < width; i++) {
      target.setCharAt(
          offset + i, digits.digit((int) (id >>> (bits * (width - 1 - i))) & ((1 << bits) - 1)));
    }
  }

  static void appendDecimal(long id, StringBuilder target) {
    if (id >= 0) {
      target.append(id);
    } else {
      long above = half(id, 10);
      target.append(above).append(DECIMAL.digit((int) (id - above * 10)));
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
        target[--at] = (byte) DECIMAL.digit(low % 10);
      }
      rest = above;
    }
    for (int low = (int) rest; at > offset; low /= 10) {
      target[--at] = (byte) DECIMAL.digit(low % 10);
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
