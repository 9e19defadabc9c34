package io.firn.wide;

import io.firn.time.TimeSource;
import java.time.Instant;

/**
 * ObjectIds of one generator. The counter begins at random in each second rather than once, so that
 * two copies of a process need not count alike.
 */
final class GrowingObjectIds implements WideIdGenerator<ObjectId> {

  private static final int MILLIS_PER_SECOND = 1000;

  /** In its place, above the counter. */
  private final long random;

  private final MonotonicClockWord word;

  GrowingObjectIds(TimeSource time) {
    random = time.random(1L << ObjectId.RANDOM_BITS) << ObjectId.COUNTER_BITS;
    word =
        new MonotonicClockWord(
            () -> time.currentTimeMillis() / MILLIS_PER_SECOND,
            () -> time.random(1L << (ObjectId.COUNTER_BITS - 1)),
            ObjectId.COUNTER_BITS,
            (1L << ObjectId.SECOND_BITS) - 1,
            Instant::ofEpochSecond,
            1);
  }

  @Override
  public ObjectId nextId() {
    long drawn = word.next();
    return new ObjectId(
        (int) (drawn >>> ObjectId.COUNTER_BITS), random | (drawn & ObjectId.COUNTER_MASK));
  }
}
