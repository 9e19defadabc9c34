package io.firn.segment;

import static io.firn.segment.OneCounter.fails;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HighWaterMarksTest {

  private static void isPast(HighWaterMarks marks, Segment segment, long newest) {
    assertThat(marks.newestBefore(segment)).as(segment.toString()).isEqualTo(newest);
  }

  @Test
  void segmentThatFollowsOthersMustBePastTheNewest() {
    HighWaterMarks marks = new HighWaterMarks(false);
    isPast(marks, Segment.of(1, 10), -1);
    marks.add(Segment.of(1, 10));
    isPast(marks, Segment.of(5, 10), 10);
    isPast(marks, new Segment(6, 10, 2), 10);
  }

  @Test
  void segmentWithoutANumberInCommonMayLieAmongOthers() {
    HighWaterMarks marks = new HighWaterMarks(true);
    marks.add(new Segment(1, 10, 4)); // 1, 5, … 37
    isPast(marks, new Segment(2, 10, 4), -1);
    isPast(marks, new Segment(5, 10, 4), 37);
    isPast(marks, new Segment(2, 10, 2), -1); // even numbers
    isPast(marks, new Segment(3, 10, 2), 37); // odd ones, some of which are those
    isPast(marks, new Segment(3, 10, 6), 37); // 9 is one of both
    isPast(marks, new Segment(2, 10, 6), -1);
    isPast(marks, new Segment(6, 10, 3), 37); // every stride without a common divisor meets it
  }

  @Test
  void newerSegmentOfACounterTakesThePlaceOfTheOlder() {
    HighWaterMarks marks = new HighWaterMarks(true);
    marks.add(new Segment(1, 10, 4));
    marks.add(new Segment(41, 10, 4));
    marks.add(new Segment(2, 10, 4));
    isPast(marks, new Segment(81, 10, 4), 77);
    isPast(marks, new Segment(42, 10, 4), 38);
    for (int i = 0; i < 2_000; i++) {
      marks.add(new Segment(4L * i, 1, 4)); // no more lanes
    }
    isPast(marks, new Segment(0, 10, 4), 7_996);
  }

  @Test
  void oneMoreCounterThanTheMostIsRefused() {
    HighWaterMarks marks = new HighWaterMarks(true);
    for (int i = 0; i < 1_024; i++) {
      marks.add(new Segment(i, 1, 2_000));
    }
    fails(
        SegmentRefusedException.class,
        () -> marks.add(new Segment(1_024, 1, 2_000)),
        "The segments of one key have more than 1024 strides and remainders; use one step in all"
            + " processes of the key");
    marks.add(new Segment(2_000, 1, 2_000));
  }
}
