package io.firn.simulation;

import io.firn.IdLayout;
import io.firn.IdParts;
import java.util.HashMap;
import java.util.Map;

/** No ID twice, and none outside of what its generator was granted. */
final class StrictJudge implements Judge {

  private final Map<Long, Slot> ids = new HashMap<>();
  private final IdLayout layout;
  private final Ledger ledger;
  private final boolean forgiving;
  private final long tickMillis;
  private long duplicates;

  /** A judge that, if forgiving, counts duplicates rather than ends the run at the first. */
  StrictJudge(IdLayout layout, Ledger ledger, boolean forgiving) {
    this.layout = layout;
    this.ledger = ledger;
    this.forgiving = forgiving;
    tickMillis = layout.tick().toMillis();
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    if (id <= floor) {
      throw new Violation(slot + " issued " + id + " after " + floor);
    }
    requireNew(slot, id);
    requireGranted(slot, id);
  }

  private void requireNew(Slot slot, long id) {
    Slot before = ids.putIfAbsent(id, slot);
    if (before != null) {
      duplicates++;
      slot.tell("issued", id, "as", before, "did before");
      if (!forgiving) {
        throw new Violation(slot + " issued " + id + " as " + before + " did before");
      }
    }
  }

  private void requireGranted(Slot slot, long id) {
    IdParts parts = layout.parse(id);
    long begin = parts.instant().toEpochMilli();
    if (!ledger.permits(slot, parts.worker(), begin, begin + tickMillis)) {
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

  long count() {
    return ids.size() + duplicates;
  }

  long duplicates() {
    return duplicates;
  }
}
