package io.firn.benchmarks;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import me.ahoo.cosid.segment.DefaultSegmentId;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;

/** Generators of numbers from one counter, which answers after a millisecond. */
final class Segments {

  private static final long DISTANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private Segments() {}

  static LongSupplier firn(long step) {
    Counter counter = new Counter(step);
    return SegmentGenerator.builder(
                (key, count) -> Segment.of(counter.take(count) + 1, count), "bench")
            .step(step)
            .build()
        ::nextId;
  }

  static LongSupplier chain(long step) {
    return new SegmentChainId(new Counter(step))::generate;
  }

  static LongSupplier cosId(long step) {
    return new DefaultSegmentId(new Counter(step))::generate;
  }

  private static final class Counter implements IdSegmentDistributor {

    private final long step;
    private final AtomicLong value = new AtomicLong();

    Counter(long step) {
      this.step = step;
    }

    long take(long count) {
      long begin = System.nanoTime();
      for (long left = DISTANCE_NANOS;
          left > 0;
          left = begin + DISTANCE_NANOS - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      return value.getAndAdd(count);
    }

    @Override
    public long nextMaxId(long count) {
      return take(count) + count;
    }

    @Override
    public long getStep() {
      return step;
    }

    @Override
    public String getNamespace() {
      return "firn";
    }

    @Override
    public String getName() {
      return "bench";
    }
  }
}
