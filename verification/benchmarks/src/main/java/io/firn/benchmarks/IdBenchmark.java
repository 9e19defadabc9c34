package io.firn.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One ID after the other, as fast as it goes. A forked JVM sees one contender only, so that the
 * call through {@link LongSupplier} is inlined for each of them alike.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class IdBenchmark {

  /** The generator, one for all threads. */
  @State(Scope.Benchmark)
  public static class Shared {
    /** The generator that is measured. */
    @Param public Contender contender = Contender.FIRN_12;

    private Supplier<LongSupplier> generator = () -> () -> 0;

    /** Starts it. */
    @Setup(Level.Trial)
    public void start() {
      generator = contender.start();
    }
  }

  /** A call of a thread. */
  @State(Scope.Thread)
  public static class Caller {
    private LongSupplier ids = () -> 0;
    private long worstNanos;

    /** Takes it from the generator. */
    @Setup(Level.Trial)
    public void take(Shared shared) {
      ids = shared.generator.get();
    }

    /** Hands over the longest call, which {@link #timed} alone measures. */
    @TearDown(Level.Iteration)
    public void tell() {
      WorstCallProfiler.note(worstNanos);
      worstNanos = 0;
    }
  }

  /** Draws an ID. */
  @Benchmark
  public long next(Caller caller) {
    return caller.ids.getAsLong();
  }

  /** Draws an ID, for contenders that make {@link Contender#BLOCK} at once. */
  @Benchmark
  @OperationsPerInvocation(Contender.BLOCK)
  public long block(Caller caller) {
    return caller.ids.getAsLong();
  }

  /** Draws an ID, each call timed: for the longest one, not for the rate. */
  @Benchmark
  public long timed(Caller caller) {
    long begin = System.nanoTime();
    long id = caller.ids.getAsLong();
    caller.worstNanos = Math.max(caller.worstNanos, System.nanoTime() - begin);
    return id;
  }
}
