package io.firn.text;

import io.firn.internal.Alphabet;

/**
 * An even base of 20..62, and how a number becomes a fixed count of its digits.
 *
 * <p>Nothing is divided, so that it does not matter whether the compiler knows the base. The number
 * is cut into pieces of at most five digits by multiplication with reciprocals. A piece then times
 * 2^57 / base^4, rounded up, has its first digit above the 57th bit and the rest below, as a
 * fraction; the fraction times the base has the second digit there, and so on. A piece is below
 * 2^30, so the rounding adds less than 2^30 to the fraction and less than 2^54 by the fifth digit:
 * it never reaches the 57th bit.
 */
final class Radix {

  static final Radix BASE62 = new Radix(Digits.BASE62, 11);
  static final Radix BASE58 = new Radix(Digits.BASE58, 11);
  static final Radix BASE36 = new Radix(Digits.BASE36, 13);

  private static final int PIECE = 5;
  private static final int FRACTION_BITS = 57;
  private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;

  private final Alphabet digits;
  private final int base;

  /** The number of digits above the last two pieces, 1..5. */
  private final int top;

  private final long topReciprocal;
  private final long reciprocal;
  private final Divisor halfFifthPower;
  private final Divisor fifthPower;

  /** The largest number that the last piece can follow. */
  private final long largestAbove;

  private Radix(Alphabet digits, int width) {
    this.digits = digits;
    base = digits.base();
    top = width - 2 * PIECE;
    topReciprocal = reciprocal(power(top - 1));
    reciprocal = reciprocal(power(PIECE - 1));
    fifthPower = new Divisor(power(PIECE));
    halfFifthPower = new Divisor(power(PIECE) / 2);
    largestAbove = Long.divideUnsigned(-1L, power(PIECE));
  }

  /** A number that others are divided by, and 2^64 divided by it, rounded down. */
  private record Divisor(long value, long reciprocal) {

    Divisor(long value) {
      this(value, Long.divideUnsigned(-1L, value));
    }

    /**
     * Returns the quotient of a number that is not negative; the reciprocal may make it one too
     * low.
     */
    long into(long number) {
      long quotient = Math.multiplyHigh(number, reciprocal);
      return number - quotient * value >= value ? quotient + 1 : quotient;
    }
  }

  private long power(int exponent) {
    long power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= base;
    }
    return power;
  }

  private static long reciprocal(long power) {
    return ((1L << FRACTION_BITS) + power - 1) / power;
  }

  /** Writes all digits, the highest first. */
  void write(long id, byte[] target, int offset) {
    long above = halfFifthPower.into(id >>> 1);
    long first = fifthPower.into(above);
    write(first * topReciprocal, top, target, offset);
    write((above - first * fifthPower.value) * reciprocal, PIECE, target, offset + top);
    write((id - above * fifthPower.value) * reciprocal, PIECE, target, offset + top + PIECE);
  }

  private void write(long piece, int count, byte[] target, int offset) {
    long rest = piece;
    for (int i = 0; i < count; i++) {
      target[offset + i] = (byte) digits.digit((int) (rest >>> FRACTION_BITS));
      rest = (rest & FRACTION_MASK) * base;
    }
  }

  /** Returns what {@link #write} writes, as text. */
  String text(long id) {
    long above = halfFifthPower.into(id >>> 1);
    long first = fifthPower.into(above);
    return top == 1
        ? Ascii.eleven(highest(first), middle(above, first), lowest(id, above))
        : Ascii.thirteen(highest(first), middle(above, first), lowest(id, above));
  }

  /** Appends what {@link #write} writes. */
  void append(long id, StringBuilder target) {
    long above = halfFifthPower.into(id >>> 1);
    long first = fifthPower.into(above);
    if (top == 1) {
      Ascii.appendEleven(highest(first), middle(above, first), lowest(id, above), target);
    } else {
      Ascii.appendThirteen(highest(first), middle(above, first), lowest(id, above), target);
    }
  }

  private long highest(long first) {
    return ascii(first * topReciprocal, top);
  }

  private long middle(long above, long first) {
    return ascii((above - first * fifthPower.value) * reciprocal, PIECE);
  }

  private long lowest(long id, long above) {
    return ascii((id - above * fifthPower.value) * reciprocal, PIECE);
  }

  /** Returns the digits of a piece, one in each byte. */
  private long ascii(long piece, int count) {
    long rest = piece;
    long ascii = 0;
    for (int i = 0; i < count; i++) {
      ascii = ascii << Byte.SIZE | digits.digit((int) (rest >>> FRACTION_BITS));
      rest = (rest & FRACTION_MASK) * base;
    }
    return ascii;
  }

  /**
   * Reads a text of the right length. Bad digits are found at the end, all at once; the format then
   * says which one.
   */
  long parse(CharSequence text, IdFormat format) {
    int first = 0;
    int middle = 0;
    int last = 0;
    int all = 0;
    for (int i = 0; i < top; i++) {
      int value = digits.value(text.charAt(i));
      all |= value;
      first = first * base + value;
    }
    for (int i = 0; i < PIECE; i++) {
      int value = digits.value(text.charAt(top + i));
      all |= value;
      middle = middle * base + value;
    }
    for (int i = 0; i < PIECE; i++) {
      int value = digits.value(text.charAt(top + PIECE + i));
      all |= value;
      last = last * base + value;
    }
    long above = first * fifthPower.value + middle;
    long id = above * fifthPower.value + last;
    boolean fits = all >= 0 && above <= largestAbove && Long.compareUnsigned(id, last) >= 0;
    return fits ? id : format.parseEach(text);
  }
}
