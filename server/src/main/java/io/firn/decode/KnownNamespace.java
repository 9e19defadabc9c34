package io.firn.decode;

import io.firn.IdLayout;
import java.time.Instant;
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

  /** Returns whether the known holder of a worker ID may have issued an ID of a tick. */
  boolean mayHaveHeld(long worker, Instant tick) {
    Instant since = workers.get(worker);
    return since != null && since.isBefore(tick.plus(layout.tick()));
  }
}
