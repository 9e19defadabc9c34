package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.testkit.TestThreads;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;

/** Several processes that draw from one counter at once. */
final class Drawing {

  private Drawing() {}

  /** Runs the processes at once, and returns all their numbers, of which none is issued twice. */
  static List<Long> draw(List<Callable<List<Long>>> processes) throws Exception {
    List<Long> all = TestThreads.together(processes).stream().flatMap(List::stream).toList();
    assertThat(all).doesNotHaveDuplicates();
    return all;
  }

  static List<Long> ids(SegmentGenerator generator, int count) {
    return LongStream.range(0, count).mapToObj(i -> generator.nextId()).toList();
  }

  static List<Long> numbers(Segment segment) {
    return LongStream.range(0, segment.count())
        .mapToObj(i -> segment.first() + i * segment.stride())
        .toList();
  }
}
