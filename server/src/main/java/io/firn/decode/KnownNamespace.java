package io.firn.decode;

import io.firn.IdLayout;
import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.WorkerEntry;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A namespace whose IDs are likely to be asked about.
 *
 * @param name the name of the namespace
 * @param layout the layout of its IDs, or of those with times of a range, if it was changed
 * @param from the first ID time of that layout; the least instant if it is the first
 * @param until where the ID times of that layout end; the greatest instant if it is the last
 * @param workers the worker IDs that are known to have been held, and the first instant of ID time
 *     of the holder that is known; the datacenter and the worker as one number where the layout has
 *     both
 */
public record KnownNamespace(
    String name, IdLayout layout, Instant from, Instant until, Map<Long, Instant> workers) {

  /** Creates a namespace that has one layout. */
  public KnownNamespace(String name, IdLayout layout, Map<Long, Instant> workers) {
    this(name, layout, Instant.MIN, Instant.MAX, workers);
  }

  /**
   * Returns a namespace once for each of its layouts.
   *
   * @param layout the layout in force
   * @param change the change that was proposed or took place last, if there was any
   */
  public static List<KnownNamespace> of(
      String name, IdLayout layout, Optional<Plan> change, Map<Long, Instant> workers) {
    if (change.isEmpty() || !change.get().fixed()) {
      return List.of(new KnownNamespace(name, layout, workers));
    }
    Plan plan = change.get();
    return List.of(
        new KnownNamespace(name, plan.from(), Instant.MIN, plan.at(), workers),
        new KnownNamespace(name, plan.to(), plan.at(), Instant.MAX, workers));
  }

  /** Returns the first instant of ID time of the known holder of each worker ID. */
  public static Map<Long, Instant> beginnings(List<WorkerEntry> workers) {
    Map<Long, Instant> beginnings = new HashMap<>();
    workers.forEach(worker -> beginnings.put(worker.worker(), worker.since().orElse(Instant.MIN)));
    return beginnings;
  }

  /** Returns whether IDs of that layout and time are among its own. */
  boolean issues(IdLayout other, Instant tick) {
    return layout.equals(other) && !tick.isBefore(from) && tick.isBefore(until);
  }

  /** Returns whether the known holder of a worker ID may have issued an ID of a tick. */
  boolean mayHaveHeld(long worker, Instant tick) {
    Instant since = workers.get(worker);
    return since != null && since.isBefore(tick.plus(layout.tick()));
  }
}
