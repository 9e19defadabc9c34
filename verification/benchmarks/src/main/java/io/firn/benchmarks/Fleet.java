package io.firn.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of a fleet that only keeps its leases. Each process is simulated by a generator, all in
 * this JVM and over the connections of one store.
 */
final class Fleet {

  /** Half of the default window: each lease is renewed once in it. */
  static final Duration CYCLE = Duration.ofSeconds(15);

  /** Twice as many worker IDs as processes, at the most that is measured. */
  private static final int WORKER_BITS = 15;

  private static final IdLayout LAYOUT =
      IdLayout.builder()
          .time(41)
          .worker(WORKER_BITS)
          .sequence(63 - 41 - WORKER_BITS)
          .epoch(Instant.parse("2026-01-01T00:00:00Z"))
          .build();

  private static final int STARTERS = 16;
  private static final Duration ACQUIRE_TIMEOUT = Duration.ofMinutes(1);

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /**
   * Costs of a fleet.
   *
   * @param serverCores NaN if the server is not on this machine
   * @param heapBytesEach what a generator keeps alive
   * @param lost leases that were not renewed in time
   */
  record Costs(
      double operationsPerSecond,
      double serverCores,
      double clientCores,
      double heapBytesEach,
      int threads,
      long lost) {}

  private Fleet() {}

  /** Keeps this many leases for a while. */
  static Costs measure(RegisterStore store, int size, Optional<ServerCpu> server) {
    CountingStore counted = new CountingStore(store);
    String namespace =
        Occupancy.PREFIX + "fleet-" + size + "-" + Long.toString(System.currentTimeMillis(), 36);
    long heapBefore = heapBytes();
    List<Snowflake> fleet = start(counted, namespace, size);
    try {
      double heapEach = (heapBytes() - heapBefore) / (double) size;
      long begin = System.nanoTime();
      long callsBefore = counted.calls();
      long cpuBefore = PROCESS.getProcessCpuTime();
      Optional<Duration> serverBefore = server.map(ServerCpu::total);
      for (long left = CYCLE.toNanos();
          left > 0;
          left = begin + CYCLE.toNanos() - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      double nanos = System.nanoTime() - begin;
      return new Costs(
          (counted.calls() - callsBefore) / nanos * 1e9,
          serverBefore
              .map(before -> server.get().total().minus(before).toNanos() / nanos)
              .orElse(Double.NaN),
          (PROCESS.getProcessCpuTime() - cpuBefore) / nanos,
          heapEach,
          ManagementFactory.getThreadMXBean().getThreadCount(),
          fleet.stream().filter(Fleet::isLate).count());
    } finally {
      stop(fleet);
    }
  }

  private static boolean isLate(Snowflake generator) {
    return generator
        .leaseStatus()
        .filter(status -> status.sinceRenewal().compareTo(CYCLE.multipliedBy(2)) < 0)
        .isEmpty();
  }

  private static long heapBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static List<Snowflake> start(RegisterStore store, String namespace, int size) {
    List<CompletableFuture<Snowflake>> starts = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(Math.min(STARTERS, size));
    try {
      for (int i = 0; i < size; i++) {
        String instance = "i" + i;
        starts.add(CompletableFuture.supplyAsync(() -> start(store, namespace, instance), threads));
      }
      return starts.stream().map(CompletableFuture::join).toList();
    } catch (RuntimeException e) {
      starts.forEach(start -> start.thenAccept(Snowflake::close));
      throw e;
    } finally {
      threads.shutdown();
    }
  }

  private static Snowflake start(RegisterStore store, String namespace, String instance) {
    return Snowflake.builder()
        .layout(LAYOUT)
        .lease(
            LeaseConfig.builder(store, namespace)
                .instance(instance)
                .acquireTimeout(ACQUIRE_TIMEOUT)
                .build())
        .build();
  }

  private static void stop(List<Snowflake> fleet) {
    ExecutorService threads = Executors.newFixedThreadPool(STARTERS);
    try {
      fleet.stream()
          .map(generator -> CompletableFuture.runAsync(generator::close, threads))
          .toList()
          .forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
  }
}
