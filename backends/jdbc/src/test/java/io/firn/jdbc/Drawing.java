package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** Several processes that draw from one counter at once. */
final class Drawing {

  private Drawing() {}

  /** What all of them were given, of which no number may come twice. */
  static List<Long> draw(List<Callable<List<Long>>> processes) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(processes.size());
    try {
      List<Long> all = new ArrayList<>();
      for (Future<List<Long>> drawn : threads.invokeAll(processes)) {
        all.addAll(drawn.get());
      }
      assertThat(all).doesNotHaveDuplicates();
      return all;
    } finally {
      threads.shutdownNow();
    }
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
