package io.firn.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** The number of cores that the process kept busy: CPU time, of user and system, over time. */
public final class CpuProfiler implements InternalProfiler {

  static final String LABEL = "cpu";

  private final OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private long beginNanos;
  private long beginCpuNanos;

  @Override
  public String getDescription() {
    return "cores kept busy";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    beginNanos = System.nanoTime();
    beginCpuNanos = process.getProcessCpuTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double cpuNanos = process.getProcessCpuTime() - beginCpuNanos;
    double cores = cpuNanos / (System.nanoTime() - beginNanos);
    return List.of(new ScalarResult(LABEL, cores, "cores", AggregationPolicy.AVG));
  }
}
