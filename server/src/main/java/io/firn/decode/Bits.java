package io.firn.decode;

import io.firn.internal.IsoTime;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** The bits of an ID, from which its fields are taken, the highest first. */
final class Bits {

  private final BigInteger bits;
  private final int width;
  private final List<IdField> fields = new ArrayList<>();
  private int left;

  Bits(byte[] bytes) {
    this(new BigInteger(1, bytes), bytes.length * Byte.SIZE);
  }

  Bits(BigInteger bits, int width) {
    this.bits = bits;
    this.width = width;
    left = width;
  }

  /** Takes a field of at most 63 bits, whose value is the number itself. */
  Bits number(String name, int size) {
    return field(name, size, Long::toString);
  }

  /** Takes a field of at most 63 bits, with what its value means. */
  Bits field(String name, int size, LongFunction<String> meaning) {
    return add(name, size, meaning.apply(next(size).longValueExact()));
  }

  /** Takes the field {@code time}, of at most 63 bits. */
  Bits time(int size, LongFunction<Instant> meaning) {
    return field(IdField.TIME, size, value -> IsoTime.utc(meaning.apply(value)));
  }

  /** Takes a field whose value is shown in hexadecimal, in as many digits as its bits need. */
  Bits hex(String name, int size) {
    String value = String.format(Locale.ROOT, "%0" + (size + 3) / 4 + "x", next(size));
    return add(name, size, value);
  }

  private BigInteger next(int size) {
    return bits.shiftRight(left - size).mod(BigInteger.ONE.shiftLeft(size));
  }

  private Bits add(String name, int size, String value) {
    left -= size;
    fields.add(new IdField(name, size, left, value));
    return this;
  }

  /** Returns the bits that were taken. */
  List<IdField> fields() {
    return List.copyOf(fields);
  }

  /** Returns all bits as zeros and ones. */
  String binary() {
    String digits = bits.toString(2);
    return "0".repeat(width - digits.length()) + digits;
  }
}
