package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdSpace;
import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The part of a namespace that one store owns.
 *
 * @param store the store, without its secrets
 * @param layout the layout of the namespace there
 * @param homes its home datacenters; none if it has every worker
 * @param strays the workers in use that are not at home there
 * @param registers the registers of the namespace, by which a store is known again
 */
record Region(
    String store,
    IdLayout layout,
    WorkerSet homes,
    List<WorkerEntry> strays,
    Set<Register> registers) {

  static Region read(RegisterStore store, String name, TimeSource time) {
    Namespace namespace = Namespace.of(store, name);
    IdLayout layout = namespace.layout().orElseThrow();
    WorkerSet homes = namespace.homes();
    WorkerSet own = workers(layout, homes);
    long millis = store.currentTimeMillis().orElseGet(time::currentTimeMillis);
    List<WorkerEntry> strays =
        namespace.workers().stream()
            .filter(worker -> !own.contains(worker.worker()))
            .filter(worker -> worker.fence().isAfter(Instant.ofEpochMilli(millis)))
            .toList();
    Set<Register> registers = Set.copyOf(store.scan(name + "/"));
    return new Region(store.toString(), layout, homes, strays, registers);
  }

  private static WorkerSet workers(IdLayout layout, WorkerSet homes) {
    return homes.ranges().isEmpty()
        ? WorkerSet.of(List.of(new WorkerSet.Range(0, layout.workers() - 1)))
        : layout.workersOf(homes);
  }

  /** Returns every ID that its processes can issue. */
  IdSpace space() {
    return IdSpace.of(layout).withWorkers(workers(layout, homes));
  }

  /** Returns the datacenters, or that it has every worker. */
  String part() {
    return homes.ranges().isEmpty() ? "every worker" : "datacenter " + homes;
  }

  /** Returns whether the other one is this one under another address, or its copy. */
  boolean isSame(Region other) {
    return registers.equals(other.registers);
  }

  /** Returns the datacenters of both; for layouts that have some. */
  WorkerSet sharedWith(Region other) {
    List<WorkerSet.Range> shared =
        datacenters().stream()
            .flatMap(
                mine ->
                    other.datacenters().stream()
                        .filter(each -> each.first() <= mine.last() && mine.first() <= each.last())
                        .map(
                            each ->
                                new WorkerSet.Range(
                                    Math.max(mine.first(), each.first()),
                                    Math.min(mine.last(), each.last()))))
            .toList();
    return WorkerSet.of(shared);
  }

  private List<WorkerSet.Range> datacenters() {
    long last = layout.field(Kind.DATACENTER).map(IdLayout.Field::max).orElse(0L);
    return homes.ranges().isEmpty() ? List.of(new WorkerSet.Range(0, last)) : homes.ranges();
  }
}
