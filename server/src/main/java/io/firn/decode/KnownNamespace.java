package io.firn.decode;

import io.firn.IdLayout;
import io.firn.lease.WorkerEntry;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A namespace whose IDs are likely to be asked about.
 *
 * @param name the name of the namespace
 * @param layout the layout of its IDs
 * @param workers the worker IDs that are known to have been held, and the first instant of ID time
 *     of the holder that is known; the datacenter and the worker as one number where the layout has
 *     both
 */
public record KnownNamespace(String name, IdLayout layout, Map<Long, Instant> workers) {

  /** Returns the first instant of ID time of the known holder of each worker ID. */
  public static Map<Long, Instant> beginnings(List<WorkerEntry> workers) {
    Map<Long, Instant> beginnings = new HashMap<>();
    workers.forEach(worker -> beginnings.put(worker.worker(), worker.since().orElse(Instant.MIN)));
    return beginnings;
  }

  /** Returns whether the known holder of a worker ID may have issued an ID of a tick. */
  boolean mayHaveHeld(long worker, Instant tick) {
    Instant since = workers.get(worker);
    return since != null && since.isBefore(tick.plus(layout.tick()));
  }
}
