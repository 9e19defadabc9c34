package io.firn.benchmarks;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import me.ahoo.cosid.segment.DefaultSegmentId;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;

/** Generators of numbers from one counter, which answers after a millisecond. */
final class Segments {

  private static final long DISTANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  static final int KEYS = 2_000;

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

  /** Generators of {@link #KEYS} keys with step 1,000 over one source, in turns. */
  static Supplier<LongSupplier> firnKeys() {
    Map<String, Counter> counters = new ConcurrentHashMap<>();
    SegmentSource source =
        (key, count) ->
            Segment.of(
                counters.computeIfAbsent(key, any -> new Counter(1_000)).take(count) + 1, count);
    return inTurns(
        key -> SegmentGenerator.builder(source, "key" + key).step(1_000).build()::nextId);
  }

  static Supplier<LongSupplier> chainKeys() {
    return inTurns(key -> chain(1_000));
  }

  private static Supplier<LongSupplier> inTurns(IntFunction<LongSupplier> generator) {
    LongSupplier[] generators =
        IntStream.range(0, KEYS).mapToObj(generator).toArray(LongSupplier[]::new);
    for (LongSupplier each : generators) {
      long unused = each.getAsLong();
    }
    return () -> {
      int[] next = {0};
      return () -> {
        next[0] = (next[0] + 1) % KEYS;
        return generators[next[0]].getAsLong();
      };
    };
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
