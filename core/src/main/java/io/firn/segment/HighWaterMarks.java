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

  private static final int MAX_LANES = 1 << 10;

  private record Lane(long remainder, long stride, long newest) {

    boolean meets(Lane other) {
      return (remainder - other.remainder) % gcd(stride, other.stride) == 0;
    }

    private static long gcd(long a, long b) {
      return b == 0 ? a : gcd(b, a % b);
    }

    boolean isSame(Lane other) {
      return remainder == other.remainder && stride == other.stride;
    }
  }

  private final boolean apart;
  private final List<Lane> lanes = new ArrayList<>();

  /**
   * HighWaterMarks without a segment yet.
   *
   * @param apart whether numbers may interleave with those of other segments; otherwise there is
   *     one lane
   */
  HighWaterMarks(boolean apart) {
    this.apart = apart;
  }

  private Lane laneOf(Segment segment) {
    long stride = apart ? segment.stride() : 1;
    return new Lane(segment.first() % stride, stride, segment.last());
  }

  /** Returns the newest number that a segment must be past; -1 if there is none. */
  long newestBefore(Segment segment) {
    Lane lane = laneOf(segment);
    return lanes.stream().filter(lane::meets).mapToLong(Lane::newest).max().orElse(-1);
  }

  /**
   * Takes note of a segment.
   *
   * @throws SegmentRefusedException if there are too many lanes
   */
  void add(Segment segment) {
    Lane lane = laneOf(segment);
    lanes.removeIf(lane::isSame);
    if (lanes.size() == MAX_LANES) {
      throw new SegmentRefusedException(
          "lanes: " + (MAX_LANES + 1) + " (expected: at most " + MAX_LANES + " strides and rests)");
    }
    lanes.add(lane);
  }
}
