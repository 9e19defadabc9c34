package io.firn.text;

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

  private final byte[] digits;
  private final int base;

  /** The number of digits above the last two pieces, 1..5. */
  private final int top;

  private final long topReciprocal;
  private final long reciprocal;
  private final Divisor halfFifthPower;
  private final Divisor fifthPower;

  private Radix(byte[] digits, int width) {
    this.digits = digits;
    base = digits.length;
    top = width - 2 * PIECE;
    topReciprocal = reciprocal(power(top - 1));
    reciprocal = reciprocal(power(PIECE - 1));
    fifthPower = new Divisor(power(PIECE));
    halfFifthPower = new Divisor(power(PIECE) / 2);
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

  /** All digits, the highest first. */
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
      target[offset + i] = digits[(int) (rest >>> FRACTION_BITS)];
      rest = (rest & FRACTION_MASK) * base;
    }
  }

  /** As {@link #write}, at the end of the target. */
  void append(long id, StringBuilder target) {
    long above = halfFifthPower.into(id >>> 1);
    long first = fifthPower.into(above);
    append(first * topReciprocal, top, target);
    append((above - first * fifthPower.value) * reciprocal, PIECE, target);
    append((id - above * fifthPower.value) * reciprocal, PIECE, target);
  }

  private void append(long piece, int count, StringBuilder target) {
    long rest = piece;
    for (int i = 0; i < count; i++) {
      target.append((char) digits[(int) (rest >>> FRACTION_BITS)]);
      rest = (rest & FRACTION_MASK) * base;
    }
  }
}
