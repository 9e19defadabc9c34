package io.firn.wide;

import io.firn.time.TimeSource;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;

/**
 * MongoDB's <a
 * href="https://www.mongodb.com/docs/manual/reference/bson-types/#objectid">ObjectId</a>: 12 bytes,
 * written as 24 hexadecimal digits. An immutable value; they compare as their bytes and as their
 * texts do.
 *
 * @param high the upper 32 bits: seconds since 1970, unsigned
 * @param low the lower 64 bits: 40 that say which generator, and its counter of 24
 */
public record ObjectId(int high, long low) implements Comparable<ObjectId>, Serializable {

  static final int SECOND_BITS = 32;
  static final int RANDOM_BITS = 40;
  static final int COUNTER_BITS = 24;
  static final int COUNTER_MASK = (1 << COUNTER_BITS) - 1;

  private static final String NAME = "objectid";
  private static final int LENGTH = 24;
  private static final int BYTES = 12;

  /**
   * Returns an ObjectId of these parts.
   *
   * @param epochSecond seconds since 1970, 0..2^32-1
   * @param random which generator, 0..2^40-1
   * @param counter the number within the generator, 0..2^24-1
   * @throws IllegalArgumentException if one does not fit
   */
  public static ObjectId of(long epochSecond, long random, int counter) {
    requireBits("epochSecond", epochSecond, SECOND_BITS);
    requireBits("random", random, RANDOM_BITS);
    requireBits("counter", counter, COUNTER_BITS);
    return new ObjectId((int) epochSecond, random << COUNTER_BITS | counter);
  }

  private static void requireBits(String name, long value, int bits) {
    if (value >>> bits != 0) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: 0.." + ((1L << bits) - 1) + ")");
    }
  }

  /**
   * Returns the generator of this process: {@link #generator(TimeSource)} on the machine's clock.
   */
  public static WideIdGenerator<ObjectId> generator() {
    return OfProcess.GENERATOR;
  }

  private static final class OfProcess {
    static final WideIdGenerator<ObjectId> GENERATOR = new GrowingObjectIds(TimeSource.system());
  }

  /**
   * Returns a generator with five random bytes of its own. Its ObjectIds grow strictly, over all
   * threads that use it, regardless of the clock: while the clock is behind, and beyond some 8
   * million in a second, the time runs ahead of the clock. Thread-safe, without a lock.
   */
  public static WideIdGenerator<ObjectId> generator(TimeSource time) {
    return new GrowingObjectIds(time);
  }

  /**
   * Reads a text back. Upper case is read too.
   *
   * @throws IllegalArgumentException if it is not 24 hexadecimal digits
   */
  public static ObjectId parse(CharSequence text) {
    WideText.requireLength(NAME, text, LENGTH);
    return new ObjectId((int) WideText.hex(NAME, text, 0, 8), WideText.hex(NAME, text, 8, LENGTH));
  }

  /**
   * Reads 12 bytes back.
   *
   * @throws IllegalArgumentException if they are not 12
   */
  public static ObjectId of(byte[] bytes) {
    WideText.requireBytes(NAME, bytes, BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new ObjectId(buffer.getInt(), buffer.getLong());
  }

  /** Returns the 12 bytes: time, random, counter, each the highest byte first. */
  public byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putInt(high).putLong(low).array();
  }

  /** Returns seconds since 1970, 0..2^32-1. */
  public long epochSecond() {
    return Integer.toUnsignedLong(high);
  }

  /** Returns the random number of the generator, 0..2^40-1. */
  public long random() {
    return low >>> COUNTER_BITS;
  }

  /** Returns the number within the generator, 0..2^24-1. */
  public int counter() {
    return (int) low & COUNTER_MASK;
  }

  /** Returns when it was made, to the second. */
  public Instant instant() {
    return Instant.ofEpochSecond(epochSecond());
  }

  @Override
  public int compareTo(ObjectId other) {
    int order = Integer.compareUnsigned(high, other.high);
    return order != 0 ? order : Long.compareUnsigned(low, other.low);
  }

  /** Returns 24 hexadecimal digits, in lower case. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(toBytes());
  }
}
