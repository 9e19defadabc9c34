package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.WorkerSet;
import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * The home datacenters of a namespace in one store: only their workers are leased there. A
 * namespace of one store needs none.
 *
 * <p>They keep regions apart that have no connection to each other: each has its own store, and no
 * two stores have the same datacenter.
 *
 * @param datacenters the datacenters; none if the store has every worker
 */
record Homes(WorkerSet datacenters) {

  static final Homes NONE = new Homes(WorkerSet.of(List.of()));

  /** Returns the home of a lease that is bound to a datacenter, or none. */
  static Homes of(OptionalLong datacenter) {
    return datacenter.isPresent()
        ? new Homes(WorkerSet.of(LongStream.of(datacenter.getAsLong())))
        : NONE;
  }

  static Homes parse(Register register, String text) {
    try {
      return new Homes(WorkerSet.of(text));
    } catch (IllegalArgumentException e) {
      throw RecordText.refused(register, "datacenters=, such as 0-2,4");
    }
  }

  boolean areRecorded() {
    return !datacenters.ranges().isEmpty();
  }

  boolean haveAll(Homes others) {
    return with(others).equals(this);
  }

  /** Returns these and others. */
  Homes with(Homes others) {
    List<WorkerSet.Range> all = new ArrayList<>(datacenters.ranges());
    all.addAll(others.datacenters.ranges());
    return new Homes(WorkerSet.of(all));
  }

  /** Returns the workers of these datacenters; all of the layout if there are none. */
  WorkerSet workers(IdLayout layout) {
    if (!areRecorded()) {
      return WorkerSet.of(List.of(new WorkerSet.Range(0, layout.workers() - 1)));
    }
    return layout.workersOf(datacenters);
  }

  boolean hasWorker(long worker, IdLayout layout) {
    return workers(layout).contains(worker);
  }

  /**
   * Checks that a lease may be taken here.
   *
   * @throws IllegalArgumentException if it may not
   */
  void checkLease(LeaseConfig config, IdLayout layout) {
    OptionalLong datacenter = config.datacenter();
    if (areRecorded() && datacenter.isEmpty() && config.worker().isEmpty()) {
      throw new IllegalArgumentException(
          "datacenter: not set (expected: one of " + describe(config) + ")");
    }
    checkDatacenter(config);
    config.worker().ifPresent(worker -> checkWorker(worker, config, layout));
  }

  /**
   * Checks the datacenter that a lease is bound to, if it is bound to one.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  void checkDatacenter(LeaseConfig config) {
    OptionalLong datacenter = config.datacenter();
    if (datacenter.isEmpty()) {
      return;
    }
    String refused = "datacenter: " + datacenter.getAsLong() + " (expected: ";
    if (!areRecorded()) {
      throw new IllegalArgumentException(
          refused
              + "not set, as namespace "
              + config.namespace().name()
              + " in "
              + config.store()
              + " has no home datacenters; firn store home records them)");
    }
    if (!datacenters.contains(datacenter.getAsLong())) {
      throw new IllegalArgumentException(refused + describe(config) + addable(config) + ")");
    }
  }

  /**
   * Checks a worker ID that was named.
   *
   * @throws IllegalArgumentException if it is in none of these datacenters
   */
  void checkWorker(long worker, LeaseConfig config, IdLayout layout) {
    if (!hasWorker(worker, layout)) {
      long datacenter = worker >>> layout.bits(Kind.WORKER);
      throw new IllegalArgumentException(
          "worker: "
              + worker
              + " of datacenter "
              + datacenter
              + " (expected: one of "
              + describe(config)
              + addable(config)
              + ")");
    }
  }

  private String describe(LeaseConfig config) {
    return "datacenter "
        + datacenters
        + ", the home of namespace "
        + config.namespace().name()
        + " in "
        + config.store();
  }

  private static String addable(LeaseConfig config) {
    return "; if no other store of "
        + config.namespace().name()
        + " has it, firn store home adds it";
  }

  @Override
  public String toString() {
    return datacenters.toString();
  }
}
