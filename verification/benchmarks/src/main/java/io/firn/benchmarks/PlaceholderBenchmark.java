package io.firn.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Placeholder. */
@State(Scope.Benchmark)
public class PlaceholderBenchmark {
  private int x = 1;

  @Benchmark
  public int read() {
    return x;
  }
}
