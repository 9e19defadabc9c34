package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SegmentTest {

  private static void refuses(long first, long count, long stride, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Segment(first, count, stride))
        .withMessage(message);
  }

  @Test
  void beginsWithAnyPositiveNumber() {
    assertThat(Segment.of(0, 1).last()).isZero();
    assertThat(Segment.of(Long.MAX_VALUE, 1).last()).isEqualTo(Long.MAX_VALUE);
    refuses(-1, 1, 1, "first: -1 (expected: 0..9223372036854775807)");
  }

  @Test
  void hasAtLeastOneNumber() {
    assertThat(Segment.of(1, Segment.MAX_COUNT).last()).isEqualTo(Segment.MAX_COUNT);
    refuses(1, 0, 1, "count: 0 (expected: 1..281474976710656)");
    refuses(1, -1, 1, "count: -1 (expected: 1..281474976710656)");
    refuses(1, Segment.MAX_COUNT + 1, 1, "count: 281474976710657 (expected: 1..281474976710656)");
  }

  @Test
  void goesForward() {
    assertThat(new Segment(1, 3, 2).last()).isEqualTo(5);
    assertThat(new Segment(1, 2, Long.MAX_VALUE - 1).last()).isEqualTo(Long.MAX_VALUE);
    refuses(1, 1, 0, "stride: 0 (expected: 1..9223372036854775807)");
    refuses(1, 1, -1, "stride: -1 (expected: 1..9223372036854775807)");
  }

  @Test
  void endsBelowTwoToThe63() {
    assertThat(Segment.of(Long.MAX_VALUE - 9, 10).last()).isEqualTo(Long.MAX_VALUE);
    refuses(
        Long.MAX_VALUE - 8,
        10,
        1,
        "segment: 10 numbers from 9223372036854775799, 1 apart"
            + " (expected: the last at most 9223372036854775807)");
    refuses(
        2,
        2,
        Long.MAX_VALUE - 1,
        "segment: 2 numbers from 2, 9223372036854775806 apart"
            + " (expected: the last at most 9223372036854775807)");
  }
}
