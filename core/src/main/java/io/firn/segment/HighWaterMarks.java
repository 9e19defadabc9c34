package io.firn.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * The newest number of every counter whose numbers interleave with those of others. A counter is
 * known by its stride and by what its numbers leave when they are divided by it. Two counters have
 * numbers in common if their remainders are the same modulo the greatest common divisor of their
 * strides; then one must be past the other. Not thread-safe.
 */
final class HighWaterMarks {

  private static final int MAX_COUNTERS = 1 << 10;

  private record Counter(long remainder, long stride, long newest) {

    boolean overlaps(Counter other) {
      return (remainder - other.remainder) % gcd(stride, other.stride) == 0;
    }

    private static long gcd(long a, long b) {
      return b == 0 ? a : gcd(b, a % b);
    }

    boolean isSame(Counter other) {
      return remainder == other.remainder && stride == other.stride;
    }
  }

  private final boolean apart;
  private final List<Counter> counters = new ArrayList<>();

  /**
   * Creates marks that have seen no segment.
   *
   * @param apart whether numbers may interleave with those of other segments; otherwise there is
   *     one counter
   */
  HighWaterMarks(boolean apart) {
    this.apart = apart;
  }

  private Counter counterOf(Segment segment) {
    long stride = apart ? segment.stride() : 1;
    return new Counter(segment.first() % stride, stride, segment.last());
  }

  /** Returns the newest number that a segment must be past; -1 if there is none. */
  long newestBefore(Segment segment) {
    Counter counter = counterOf(segment);
    return counters.stream().filter(counter::overlaps).mapToLong(Counter::newest).max().orElse(-1);
  }

  /**
   * Records a segment.
   *
   * @throws SegmentRefusedException if there are too many counters
   */
  void add(Segment segment) {
    Counter counter = counterOf(segment);
    counters.removeIf(counter::isSame);
    if (counters.size() == MAX_COUNTERS) {
      throw new SegmentRefusedException(
          "The segments of one key have more than "
              + MAX_COUNTERS
              + " strides and remainders; use one step in all processes of the key");
    }
    counters.add(counter);
  }
}
