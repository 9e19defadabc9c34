package io.firn.server;

import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The worker IDs of a server's namespaces at one moment, as the store has them.
 *
 * @param taken when the store was read, on this server's clock
 * @param workers the worker IDs by namespace
 * @param marks the marks by namespace, of those that have one
 * @param changes the changes of layout by namespace, of those that have or had one
 */
public record WorkerSnapshot(
    Instant taken,
    SortedMap<String, List<WorkerEntry>> workers,
    SortedMap<String, Mark> marks,
    SortedMap<String, Plan> changes) {

  /** Returns the newest change of the layout of a namespace, if there was any. */
  public Optional<Plan> change(String namespace) {
    return Optional.ofNullable(changes.get(namespace));
  }

  /** Returns the mark of a namespace, if it has one. */
  public Optional<Mark> mark(String namespace) {
    return Optional.ofNullable(marks.get(namespace));
  }
}
