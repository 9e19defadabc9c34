package io.firn.server;

import io.firn.lease.Namespace;
import io.firn.lease.RegisterStore;
import io.firn.lease.WorkerEntry;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks the store who has which worker ID, once a second at most, however many want to know. */
final class CensusTaker {

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RegisterStore store;
  private final Supplier<List<String>> namespaces;
  private final Executor executor;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<Census> latest;
  private long begunNanos;

  CensusTaker(
      RegisterStore store, Supplier<List<String>> namespaces, Executor executor, TimeSource time) {
    this.store = store;
    this.namespaces = namespaces;
    this.executor = executor;
    this.time = time;
  }

  /** The newest one, or one that is being taken, or has to be. */
  CompletableFuture<Census> latest() {
    lock.lock();
    try {
      if (latest == null || (latest.isDone() && time.nanoTime() - begunNanos >= FRESH_NANOS)) {
        begunNanos = time.nanoTime();
        latest = CompletableFuture.supplyAsync(this::take, executor);
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }

  private Census take() {
    Instant taken = Instant.ofEpochMilli(time.currentTimeMillis());
    SortedMap<String, List<WorkerEntry>> workers = new TreeMap<>();
    namespaces.get().forEach(name -> workers.put(name, Namespace.of(store, name).workers()));
    return new Census(taken, workers);
  }
}
