package io.firn.simulation.judges;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.simulation.world.Grants;
import io.firn.simulation.world.Ledger;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.Violation;

/** IDs of ticks inside the windows that were leased. */
public record LeaseGrants(IdLayout layout, Ledger ledger) implements Grants {

  @Override
  public void require(Slot slot, long id) {
    IdParts parts = layout.parse(id);
    long begin = parts.instant().toEpochMilli();
    if (!isShared(slot, id) && !permits(slot, id)) {
      throw new Violation(
          slot
              + " issued "
              + id
              + " of worker "
              + parts.worker()
              + " at "
              + (begin - Settings.START_MILLIS)
              + ", which it was not granted");
    }
  }

  boolean permits(Slot slot, long id) {
    IdParts parts = layout.parse(id);
    long begin = parts.instant().toEpochMilli();
    return ledger.permits(slot, workerOf(parts), begin, begin + layout.tick().toMillis());
  }

  @Override
  public boolean isShared(Slot slot, long id) {
    IdParts parts = layout.parse(id);
    return ledger.isShared(workerOf(parts), parts.instant().toEpochMilli());
  }

  private long workerOf(IdParts parts) {
    return layout.workerId(parts.datacenter(), parts.worker());
  }
}
