package io.firn.wide;

import io.firn.FirnException;
import io.firn.internal.Alphabet;
import io.firn.time.TimeSource;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.UUID;

/**
 * A <a href="https://github.com/ulid/spec">ULID</a>: 48 bits of milliseconds since 1970 and 80
 * random bits, written as 26 characters of Crockford's base 32. An immutable value; ULIDs compare
 * as their bytes and as their texts do.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record Ulid(long high, long low) implements Comparable<Ulid>, Serializable {

  private static final String NAME = "ulid";
  private static final int LENGTH = 26;
  private static final int BYTES = 16;
  private static final int RANDOM_BITS_OF_HIGH = 16;

  /** 26 characters have 130 bits; two of the first one's five are too many. */
  private static final int LARGEST_FIRST_DIGIT = 7;

  /**
   * Returns the generator of this process: {@link #generator(TimeSource)} on the machine's clock.
   */
  public static WideIdGenerator<Ulid> generator() {
    return OfProcess.GENERATOR;
  }

  private static final class OfProcess {
    static final WideIdGenerator<Ulid> GENERATOR = new GrowingUlids(TimeSource.system());
  }

  /**
   * Returns a generator of ULIDs that grow strictly, over all threads that use it and whatever the
   * clock does: in one millisecond, and while the clock is behind the newest ULID, each is the
   * {@link #successor} of the one before. Thread-safe, without a lock. It throws {@link
   * FirnException} if a random part has no successor, which does not happen in practice: it takes
   * one of the last of 2^80.
   */
  public static WideIdGenerator<Ulid> generator(TimeSource time) {
    return new GrowingUlids(time);
  }

  /**
   * Reads a text back. Lower case is read too, and so are O as 0, I and L as 1.
   *
   * @throws IllegalArgumentException if it is not 26 characters of Crockford's base 32, or more
   *     than 128 bits
   */
  public static Ulid parse(CharSequence text) {
    return parse(NAME, text);
  }

  /** Reads a text back, which error messages call {@code name}. */
  static Ulid parse(String name, CharSequence text) {
    WideText.requireLength(name, text, LENGTH);
    int first = WideText.digit(name, text, 0, Alphabet.BASE32);
    if (first > LARGEST_FIRST_DIGIT) {
      throw WideText.refused(name, text, "a first digit of at most 7, 128 bits");
    }
    int second = WideText.digit(name, text, 1, Alphabet.BASE32);
    long a = Alphabet.BASE32.four(text, 2);
    long b = Alphabet.BASE32.four(text, 6);
    long c = Alphabet.BASE32.four(text, 10);
    long d = Alphabet.BASE32.four(text, 14);
    long e = Alphabet.BASE32.four(text, 18);
    long f = Alphabet.BASE32.four(text, 22);
    if ((a | b | c | d | e | f) < 0) {
      WideText.requireDigits(name, text, 0, LENGTH, Alphabet.BASE32);
    }
    long high = (long) first << 61 | (long) second << 56 | a << 36 | b << 16 | c >>> 4;
    return new Ulid(high, c << 60 | d << 40 | e << 20 | f);
  }

  /**
   * Reads 16 bytes back, the highest first.
   *
   * @throws IllegalArgumentException if they are not 16
   */
  public static Ulid of(byte[] bytes) {
    WideText.requireBytes(NAME, bytes, BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new Ulid(buffer.getLong(), buffer.getLong());
  }

  /** Returns the ULID of the same bits. */
  public static Ulid of(UUID uuid) {
    return new Ulid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  /** Returns the UUID of the same bits, whose version and variant say nothing. */
  public UUID toUuid() {
    return new UUID(high, low);
  }

  /** Returns the 16 bytes, the highest first. */
  public byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
  }

  /** Returns when it was made, to the millisecond. */
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  long millis() {
    return high >>> RANDOM_BITS_OF_HIGH;
  }

  /**
   * Returns the next ULID of the same millisecond.
   *
   * @throws FirnException if the random part is the last one, as the specification demands
   */
  public Ulid successor() {
    return plus(1);
  }

  /** Returns the {@link #successor} applied that many times, fewer than 2^63. */
  Ulid plus(long count) {
    long sum = low + count;
    if (Long.compareUnsigned(sum, low) >= 0) {
      return new Ulid(high, sum);
    }
    Ulid next = new Ulid(high + 1, sum);
    if (next.millis() != millis()) {
      Ulid last = new Ulid(high, -1);
      throw new FirnException(
          "ULID " + last + " is the last one of its millisecond; repeat the call in the next one");
    }
    return next;
  }

  @Override
  public int compareTo(Ulid other) {
    int order = Long.compareUnsigned(high, other.high);
    return order != 0 ? order : Long.compareUnsigned(low, other.low);
  }

  /** Returns 26 characters of Crockford's base 32, in upper case. */
  @Override
  @SuppressWarnings("UnnecessaryStringBuilder") // C2 then stores into the text itself
  public String toString() {
    long middle = high << 4 | low >>> 60;
    return new StringBuilder()
        .append(Alphabet.base32(high, 61))
        .append(Alphabet.base32(high, 56))
        .append(Alphabet.base32(middle, 55))
        .append(Alphabet.base32(middle, 50))
        .append(Alphabet.base32(middle, 45))
        .append(Alphabet.base32(middle, 40))
        .append(Alphabet.base32(middle, 35))
        .append(Alphabet.base32(middle, 30))
        .append(Alphabet.base32(middle, 25))
        .append(Alphabet.base32(middle, 20))
        .append(Alphabet.base32(middle, 15))
        .append(Alphabet.base32(middle, 10))
        .append(Alphabet.base32(middle, 5))
        .append(Alphabet.base32(middle, 0))
        .append(Alphabet.base32(low, 55))
        .append(Alphabet.base32(low, 50))
        .append(Alphabet.base32(low, 45))
        .append(Alphabet.base32(low, 40))
        .append(Alphabet.base32(low, 35))
        .append(Alphabet.base32(low, 30))
        .append(Alphabet.base32(low, 25))
        .append(Alphabet.base32(low, 20))
        .append(Alphabet.base32(low, 15))
        .append(Alphabet.base32(low, 10))
        .append(Alphabet.base32(low, 5))
        .append(Alphabet.base32(low, 0))
        .toString();
  }
}
