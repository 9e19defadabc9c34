package io.firn.wide;

import io.firn.internal.Alphabet;
import io.firn.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * UUIDs of <a href="https://www.rfc-editor.org/rfc/rfc9562">RFC 9562</a>: generators, and what
 * {@link UUID} itself does not do.
 */
public final class Uuids {

  static final long VERSION_MASK = 0xF000;
  static final long VARIANT_MASK = 0xC000_0000_0000_0000L;
  static final long RFC_VARIANT = 0x8000_0000_0000_0000L;

  static final long VERSION_7 = 0x7000;

  /** The end of 48 bits of milliseconds. */
  private static final Instant LAST_INSTANT = Instant.ofEpochMilli((1L << 48) - 1);

  private static final String NAME = "uuid";
  private static final int LENGTH = 36;
  private static final int BYTES = 16;

  /** The positions of the dashes, and the end. */
  private static final int[] GROUP_ENDS = {8, 13, 18, 23, LENGTH};

  /** From 1582-10-15, when the calendar of versions 1 and 6 begins, in units of 100 ns. */
  private static final long GREGORIAN_TO_UNIX = 0x01B2_1DD2_1381_4000L;

  private static final long UNITS_PER_SECOND = 10_000_000;

  private Uuids() {}

  /** Returns the generator of random UUIDs of this process: {@link #v4(TimeSource)}. */
  public static WideIdGenerator<UUID> v4() {
    return OfProcess.V4;
  }

  /** Returns the generator of growing UUIDs of this process: {@link #v7(TimeSource)}. */
  public static WideIdGenerator<UUID> v7() {
    return OfProcess.V7;
  }

  private static final class OfProcess {
    static final WideIdGenerator<UUID> V4 = new RandomUuids(TimeSource.system());
    static final WideIdGenerator<UUID> V7 = new GrowingUuids(TimeSource.system(), 1);
  }

  /**
   * Returns a generator of UUIDs of version 4, with 122 unpredictable bits: AES-256 in counter
   * mode, with a new key of {@link java.security.SecureRandom} for every 8 KiB. Thread-safe; no
   * thread waits for another.
   */
  public static WideIdGenerator<UUID> v4(TimeSource time) {
    return new RandomUuids(time);
  }

  /**
   * Returns a generator of UUIDs of version 7 that grow strictly, over all threads that use it and
   * regardless of the clock. Below the 48 bits of milliseconds is a counter of 20 bits, which
   * begins at random in each millisecond (RFC 9562, section 6.2, method 1), and 54 random bits as
   * of {@link #v4(TimeSource)}. While the clock is behind the newest UUID, and where the counter
   * does not suffice for a millisecond, the time runs ahead of the clock. Thread-safe, without a
   * lock; ends in the year 2248.
   */
  public static WideIdGenerator<UUID> v7(TimeSource time) {
    return v7(time, 1);
  }

  /**
   * Returns a generator as {@link #v7(TimeSource)} does, which reads the clock only once per {@code
   * idsPerClockRead} UUIDs: reading it is most of the work. A UUID's time may be that of any of the
   * {@code idsPerClockRead - 1} before it, however long ago that was.
   *
   * @param idsPerClockRead a power of two, 1..65,536
   * @throws io.firn.FirnException if that is above 1 and the clock is past the last UUID's time
   */
  public static WideIdGenerator<UUID> v7(TimeSource time, int idsPerClockRead) {
    return new GrowingUuids(time, idsPerClockRead);
  }

  /**
   * Returns a new UUID of version 7 with a time of the caller's choice, for rows that are older
   * than their keys: the 48 bits of milliseconds, and 74 random bits as of {@link #v4(TimeSource)}.
   * UUIDs of different milliseconds are in the order of their times; those of the same millisecond
   * are in no order. They are as unique as 74 random bits in each millisecond make them, also
   * beside those of {@link #v7()} in any process: a billion with the same millisecond have two
   * equal ones with a probability below 1 in 30,000. The same instant never gives the same UUID
   * again, so a row that is written twice has two. Thread-safe; no thread waits for another.
   *
   * @param time from 1970 to the year 10889; what is below a millisecond is cut off
   * @throws IllegalArgumentException if it is not
   */
  public static UUID v7At(Instant time) {
    if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST_INSTANT)) {
      throw new IllegalArgumentException(
          "time: " + time + " (expected: " + Instant.EPOCH + ".." + LAST_INSTANT + ")");
    }
    Stripe stripe = OfTime.BITS.hold();
    try {
      return new UUID(
          time.toEpochMilli() << 16 | VERSION_7 | stripe.next() >>> 52,
          (stripe.next() & ~VARIANT_MASK) | RFC_VARIANT);
    } finally {
      stripe.release();
    }
  }

  private static final class OfTime {
    static final Keystream BITS = new Keystream(TimeSource.system());
  }

  /**
   * Reads a text back, and no other than {@link UUID#fromString} may: the five groups of 8, 4, 4, 4
   * and 12 hexadecimal digits in either case.
   *
   * @throws IllegalArgumentException if it is not of that form
   */
  public static UUID parse(CharSequence text) {
    WideText.requireLength(NAME, text, LENGTH);
    long a = Alphabet.HEX.four(text, 0);
    long b = Alphabet.HEX.four(text, 4);
    long c = Alphabet.HEX.four(text, 9);
    long d = Alphabet.HEX.four(text, 14);
    long e = Alphabet.HEX.four(text, 19);
    long f = Alphabet.HEX.four(text, 24);
    long g = Alphabet.HEX.four(text, 28);
    long h = Alphabet.HEX.four(text, 32);
    if ((a | b | c | d | e | f | g | h) < 0 || !hasDashes(text)) {
      requireForm(text);
    }
    return new UUID(a << 48 | b << 32 | c << 16 | d, e << 48 | f << 32 | g << 16 | h);
  }

  private static boolean hasDashes(CharSequence text) {
    return text.charAt(8) == '-'
        && text.charAt(13) == '-'
        && text.charAt(18) == '-'
        && text.charAt(23) == '-';
  }

  /** Refuses the first group that has no dash behind it or that has something but digits. */
  private static void requireForm(CharSequence text) {
    int from = 0;
    for (int to : GROUP_ENDS) {
      if (to < LENGTH && text.charAt(to) != '-') {
        throw WideText.refused(NAME, text, "a dash at position " + (to + 1));
      }
      WideText.requireDigits(NAME, text, from, to, Alphabet.HEX);
      from = to + 1;
    }
  }

  /**
   * Reads 16 bytes back, the highest first.
   *
   * @throws IllegalArgumentException if they are not 16
   */
  public static UUID of(byte[] bytes) {
    WideText.requireBytes(NAME, bytes, BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  /** Returns the 16 bytes, the highest first. */
  public static byte[] toBytes(UUID uuid) {
    return Ulid.of(uuid).toBytes();
  }

  /**
   * Returns 26 characters of Crockford's base 32 in lower case, as behind the prefix of a TypeID.
   */
  public static String toBase32(UUID uuid) {
    return Ulid.of(uuid).toString().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads {@link #toBase32} back.
   *
   * @throws IllegalArgumentException if it is anything else, as upper case or more than 128 bits
   */
  public static UUID parseBase32(CharSequence text) {
    UUID uuid = Ulid.parse(NAME, text).toUuid();
    if (!toBase32(uuid).contentEquals(text)) {
      throw WideText.refused(NAME, text, toBase32(uuid));
    }
    return uuid;
  }

  /** Returns when it was made; empty unless it is of version 1, 6 or 7. */
  public static Optional<Instant> instant(UUID uuid) {
    long high = uuid.getMostSignificantBits();
    return switch (uuid.variant() == 2 ? uuid.version() : 0) {
      case 1 -> Optional.of(gregorian(uuid.timestamp()));
      case 6 -> Optional.of(gregorian(high >>> 16 << 12 | (high & 0xFFF)));
      case 7 -> Optional.of(Instant.ofEpochMilli(high >>> 16));
      default -> Optional.empty();
    };
  }

  private static Instant gregorian(long units) {
    long unix = units - GREGORIAN_TO_UNIX;
    return Instant.ofEpochSecond(
        Math.floorDiv(unix, UNITS_PER_SECOND), Math.floorMod(unix, UNITS_PER_SECOND) * 100);
  }
}
