package io.firn.simulation.judges;

import io.firn.IdLayout;
import io.firn.simulation.world.Grants;
import io.firn.simulation.world.Ledger;
import io.firn.simulation.world.Slot;

/** The same as of leases, and what the predecessors of a process on its host had been granted. */
public record CarriedGrants(IdLayout layout, Ledger ledger) implements Grants {

  @Override
  public void require(Slot slot, long id) {
    LeaseGrants leases = new LeaseGrants(layout, ledger);
    if (slot.predecessors().noneMatch(before -> leases.permits(before, id))) {
      leases.require(slot, id);
    }
  }

  @Override
  public boolean isShared(Slot slot, long id) {
    return new LeaseGrants(layout, ledger).isShared(slot, id);
  }
}
