package io.firn.server;

import io.firn.lease.LayoutChange;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the worker IDs from the store, for all callers at once: a second after the last time at the
 * earliest, and later where that takes longer, so that it takes a small part of the store's time.
 * Thread-safe.
 */
final class WorkerSnapshots {

  private static final long MIN_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The part of the time that may be spent on it. */
  private static final long COST_SHARE = 20;

  private final RegisterStore store;
  private final Supplier<List<String>> namespaces;
  private final Executor executor;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<WorkerSnapshot> latest;
  private volatile @Nullable WorkerSnapshot newest;
  private volatile @Nullable String outage;
  private long startedNanos;
  private volatile long costNanos;

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
      if (latest == null || (latest.isDone() && time.nanoTime() - startedNanos >= periodNanos())) {
        startedNanos = time.nanoTime();
        latest = CompletableFuture.supplyAsync(this::take, executor);
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }

  private long periodNanos() {
    return Math.max(MIN_PERIOD_NANOS, Math.min(MAX_PERIOD_NANOS, costNanos * COST_SHARE));
  }

  /** Returns the newest snapshot that was taken, if any; never waits. */
  Optional<WorkerSnapshot> newest() {
    return Optional.ofNullable(newest);
  }

  /** Returns why the last reading failed; empty if it did not, or is under way. */
  Optional<String> outage() {
    return Optional.ofNullable(outage);
  }

  private WorkerSnapshot take() {
    Instant taken = Instant.ofEpochMilli(time.currentTimeMillis());
    long begin = time.nanoTime();
    try {
      List<String> names = namespaces.get();
      WorkerSnapshot snapshot =
          new WorkerSnapshot(
              taken,
              Namespace.workers(store, names),
              Namespace.marks(store, names),
              LayoutChange.current(store, names));
      newest = snapshot;
      outage = null;
      return snapshot;
    } catch (RuntimeException e) { // is the answer of the future as well
      outage = RequestException.of(e).getMessage();
      throw e;
    } finally {
      costNanos = time.nanoTime() - begin;
    }
  }
}
