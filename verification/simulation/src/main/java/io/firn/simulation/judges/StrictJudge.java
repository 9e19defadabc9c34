package io.firn.simulation.judges;

import io.firn.simulation.world.Grants;
import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.Violation;
import java.util.HashMap;
import java.util.Map;

/** No ID twice, and none outside of what its generator was granted. */
public final class StrictJudge implements Judge {

  private final Map<Long, Slot> ids = new HashMap<>();
  private final Grants grants;
  private final boolean forgiving;
  private long duplicates;
  private long duplicatesOfTheDead;

  /**
   * Creates a judge that, if forgiving, counts duplicates rather than ends the run at the first.
   */
  public StrictJudge(Grants grants, boolean forgiving) {
    this.grants = grants;
    this.forgiving = forgiving;
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    if (id <= floor) {
      throw new Violation(slot + " issued " + id + " after " + floor);
    }
    requireNew(slot, id);
    grants.require(slot, id);
  }

  private void requireNew(Slot slot, long id) {
    Slot before = ids.putIfAbsent(grants.identity(slot, id), slot);
    if (before != null && !grants.isShared(slot, id)) {
      duplicates++;
      duplicatesOfTheDead += before.process().isDead() ? 1 : 0;
      slot.log("issued", id, "as", before, "did before");
      if (!forgiving) {
        throw new Violation(slot + " issued " + id + " as " + before + " did before");
      }
    }
  }

  public long count() {
    return ids.size() + duplicates;
  }

  public long duplicates() {
    return duplicates;
  }

  /**
   * Returns how many of them were first issued by a process that was dead when they were issued
   * again.
   */
  public long duplicatesOfTheDead() {
    return duplicatesOfTheDead;
  }
}
