package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.WorkerSet;

/**
 * The worker IDs that may be taken, counted from 0 in ascending order.
 *
 * @param workers the worker IDs, at least one
 */
record WorkerPool(WorkerSet workers) {

  /** Returns the workers of the datacenter that a lease is bound to; else those of all homes. */
  static WorkerPool of(LeaseConfig config, Homes homes, IdLayout layout) {
    Homes own = Homes.of(config.datacenter());
    return new WorkerPool((own.areRecorded() ? own : homes).workers(layout));
  }

  /**
   * Checks that a layout has the datacenter and the worker ID of a lease.
   *
   * @throws IllegalArgumentException if it has not, or they do not belong together
   */
  static void checkFits(LeaseConfig config, IdLayout layout) {
    config.worker().ifPresent(worker -> checkWorker(worker, layout));
    if (config.datacenter().isEmpty()) {
      return;
    }
    long datacenter = config.datacenter().getAsLong();
    Lease.checkDatacenter(datacenter, layout);
    long first = layout.workerId(datacenter, 0);
    long pinned = config.worker().orElse(first);
    if (pinned >>> layout.bits(Kind.WORKER) != datacenter) {
      throw new IllegalArgumentException(
          "worker: " + pinned + " (expected: one of datacenter " + datacenter + ")");
    }
  }

  /**
   * Checks that a layout has a worker ID.
   *
   * @throws IllegalArgumentException if it has not
   */
  static void checkWorker(long worker, IdLayout layout) {
    long unused = layout.placeWorkerId(worker);
  }

  long size() {
    return workers.size();
  }

  boolean contains(long worker) {
    return workers.contains(worker);
  }

  /** Returns the index of a worker that is in it. */
  long indexOf(long worker) {
    long index = 0;
    for (WorkerSet.Range range : workers.ranges()) {
      if (worker <= range.last()) {
        return index + worker - range.first();
      }
      index += range.last() - range.first() + 1;
    }
    throw new IllegalArgumentException("worker: " + worker + " (expected: one of " + workers + ")");
  }

  /**
   * Returns the worker of an index.
   *
   * @param index 0..{@link #size}-1
   */
  long at(long index) {
    long left = index;
    for (WorkerSet.Range range : workers.ranges()) {
      long size = range.last() - range.first() + 1;
      if (left < size) {
        return range.first() + left;
      }
      left -= size;
    }
    throw new IllegalArgumentException("index: " + index + " (expected: 0.." + (size() - 1) + ")");
  }
}
