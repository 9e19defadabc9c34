package io.firn.wide;

import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.UUID;

/**
 * UUIDs of version 7 that grow strictly over all threads.
 *
 * <p>The method is the fixed-length dedicated counter of RFC 9562, section 6.2, method 1: 20 bits,
 * the 12 of rand_a and the first 8 of rand_b, seeded in each new millisecond with 19 random bits
 * and a zero above them, and carried into the timestamp where they do not suffice, as the section
 * allows. The other 54 bits are random in every UUID.
 */
final class GrowingUuids implements WideIdGenerator<UUID> {

  private static final int COUNTER_BITS = 20;
  private static final int RANDOM_BITS = 54;

  /** Time and counter are one positive number; the field itself is wider. */
  private static final long LAST_MILLIS = Long.MAX_VALUE >>> COUNTER_BITS;

  private static final int LOW_COUNTER_BITS = 8;
  private static final long LOW_COUNTER_MASK = (1L << LOW_COUNTER_BITS) - 1;
  private static final long HIGH_COUNTER_MASK = (1L << (COUNTER_BITS - LOW_COUNTER_BITS)) - 1;

  private static final int MAX_IDS_PER_CLOCK_READ = 1 << 16;

  private final Keystream keystream;
  private final MonotonicClockWord word;

  GrowingUuids(TimeSource time, int idsPerClockRead) {
    if (idsPerClockRead < 1
        || idsPerClockRead > MAX_IDS_PER_CLOCK_READ
        || Integer.bitCount(idsPerClockRead) != 1) {
      throw new IllegalArgumentException(
          "idsPerClockRead: "
              + idsPerClockRead
              + " (expected: a power of two, 1.."
              + MAX_IDS_PER_CLOCK_READ
              + ")");
    }
    keystream = new Keystream(time);
    word =
        new MonotonicClockWord(
            time::currentTimeMillis,
            () -> keystream.nextLong() >>> (65 - COUNTER_BITS),
            COUNTER_BITS,
            LAST_MILLIS,
            Instant::ofEpochMilli,
            idsPerClockRead);
  }

  @Override
  public UUID nextId() {
    long drawn = word.next();
    return new UUID(
        drawn >>> COUNTER_BITS << 16
            | Uuids.VERSION_7
            | (drawn >>> LOW_COUNTER_BITS & HIGH_COUNTER_MASK),
        Uuids.RFC_VARIANT
            | (drawn & LOW_COUNTER_MASK) << RANDOM_BITS
            | keystream.nextLong() >>> (64 - RANDOM_BITS));
  }
}
