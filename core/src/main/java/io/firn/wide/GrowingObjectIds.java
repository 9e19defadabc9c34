package io.firn.wide;

import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * ObjectIds of one generator. The counter begins at random in each second rather than once, so that
 * two copies of a process are not bound to count alike.
 */
final class GrowingObjectIds implements WideIdGenerator<ObjectId> {

  private static final int COUNTER_MASK = (1 << ObjectId.COUNTER_BITS) - 1;

  private final long random;
  private final GrowingWord word;

  GrowingObjectIds(TimeSource time) {
    random = time.random(1L << ObjectId.RANDOM_BITS);
    word =
        new GrowingWord(
            () -> TimeUnit.MILLISECONDS.toSeconds(time.currentTimeMillis()),
            () -> time.random(1L << (ObjectId.COUNTER_BITS - 1)),
            ObjectId.COUNTER_BITS,
            (1L << ObjectId.SECOND_BITS) - 1,
            1);
  }

  @Override
  public ObjectId nextId() {
    long drawn = word.next();
    return new ObjectId(drawn >>> ObjectId.COUNTER_BITS, random, (int) drawn & COUNTER_MASK);
  }
}
