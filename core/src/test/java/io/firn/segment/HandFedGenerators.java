package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.firn.Clocks;
import io.firn.testkit.ManualTimeSource;
import java.time.Instant;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;

/** Generators over a counter that the test moves; segments come when the test says so. */
abstract class HandFedGenerators {

  final ManualTimeSource clock = new ManualTimeSource(Instant.EPOCH);
  final Clocks time = new Clocks(clock);
  final SegmentFetcher fetcher = SegmentFetcher.manual(time);
  final HandCounter counter = new HandCounter();

  @AfterEach
  void leaveNoInterruptBehind() {
    assertThat(Thread.interrupted()).isFalse();
  }

  SegmentGenerator.Builder builder() {
    return SegmentGenerator.builder(counter, "orders").timeSource(time).fetcher(fetcher);
  }

  /** Returns a generator that has its first segment. */
  SegmentGenerator ready(SegmentGenerator.Builder builder) {
    SegmentGenerator generator = builder.build();
    fetcher.runDue();
    return generator;
  }

  long[] take(SegmentGenerator generator, int count) {
    return LongStream.generate(generator::nextId).limit(count).toArray();
  }

  static long[] range(long from, long to) {
    return LongStream.range(from, to).toArray();
  }

  static SegmentUnavailableException unavailable(SegmentGenerator generator) {
    return catchThrowableOfType(SegmentUnavailableException.class, generator::nextId);
  }
}
