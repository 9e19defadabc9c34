package io.firn.segment;

import static io.firn.internal.Require.inRange;

/**
 * A block of numbers that a counter has handed out at once: {@code first}, {@code first + stride}
 * and so on.
 *
 * @param first the first of them, 0 or more
 * @param count how many there are, 1..{@link #MAX_COUNT}
 * @param stride how far they are apart, 1 or more; more than 1 where several counters share the
 *     numbers
 */
public record Segment(long first, long count, long stride) {

  /** The most numbers that a segment has: far from where counting them would overflow. */
  public static final long MAX_COUNT = 1L << 48;

  /**
   * Creates a segment.
   *
   * @throws IllegalArgumentException if a value is out of its range, or the last number past 2^63-1
   */
  public Segment {
    inRange("first", 0, Long.MAX_VALUE, first);
    inRange("count", 1, MAX_COUNT, count);
    inRange("stride", 1, Long.MAX_VALUE, stride);
    if (count - 1 > (Long.MAX_VALUE - first) / stride) {
      throw new IllegalArgumentException(
          "segment: "
              + count
              + " numbers from "
              + first
              + ", "
              + stride
              + " apart (expected: the last at most "
              + Long.MAX_VALUE
              + ")");
    }
  }

  /** Returns a segment without holes. */
  public static Segment of(long first, long count) {
    return new Segment(first, count, 1);
  }

  /** Returns the last number. */
  public long last() {
    return first + (count - 1) * stride;
  }
}
