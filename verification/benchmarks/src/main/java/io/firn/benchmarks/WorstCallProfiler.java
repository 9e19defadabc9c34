package io.firn.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** The longest call of all threads that {@link IdBenchmark#timed} saw, in milliseconds. */
public final class WorstCallProfiler implements InternalProfiler {

  static final String LABEL = "worst";

  private static final LongAccumulator WORST = new LongAccumulator(Math::max, 0);

  static void note(long nanos) {
    WORST.accumulate(nanos);
  }

  @Override
  public String getDescription() {
    return "longest call";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    WORST.reset();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    return List.of(new ScalarResult(LABEL, WORST.get() / 1e6, "ms", AggregationPolicy.MAX));
  }
}
