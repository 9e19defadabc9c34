package io.firn.server;

import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
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

/** Reads the worker IDs from the store, at most once a second for all callers. Thread-safe. */
final class WorkerSnapshots {

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RegisterStore store;
  private final Supplier<List<String>> namespaces;
  private final Executor executor;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<WorkerSnapshot> latest;
  private long startedNanos;

  WorkerSnapshots(
      RegisterStore store, Supplier<List<String>> namespaces, Executor executor, TimeSource time) {
    this.store = store;
    this.namespaces = namespaces;
    this.executor = executor;
    this.time = time;
  }

  /** Returns the newest snapshot if it is fresh, and otherwise one that is being taken. */
  CompletableFuture<WorkerSnapshot> latest() {
    lock.lock();
    try {
      if (latest == null || (latest.isDone() && time.nanoTime() - startedNanos >= FRESH_NANOS)) {
        startedNanos = time.nanoTime();
        latest = CompletableFuture.supplyAsync(this::take, executor);
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }

  private WorkerSnapshot take() {
    Instant taken = Instant.ofEpochMilli(time.currentTimeMillis());
    SortedMap<String, List<WorkerEntry>> workers = new TreeMap<>();
    namespaces.get().forEach(name -> workers.put(name, Namespace.of(store, name).workers()));
    return new WorkerSnapshot(taken, workers);
  }
}
