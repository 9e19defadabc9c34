package io.firn.simulation;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Counts the IDs that were issued twice, and why. */
final class CountingJudge implements Judge {

  private final Map<Long, Slot> ids = new HashMap<>();
  private final Map<Cause, Long> causes = new EnumMap<>(Cause.class);
  private final World world;
  private long collisions;
  private long firstNanos;

  CountingJudge(World world) {
    this.world = world;
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    Slot before = ids.putIfAbsent(id, slot);
    if (before == null) {
      return;
    }
    if (collisions++ == 0) {
      firstNanos = world.now();
    }
    causes.merge(Cause.of(before, slot), 1L, Long::sum);
  }

  long ids() {
    return ids.size() + collisions;
  }

  long collisions() {
    return collisions;
  }

  long firstNanos() {
    return firstNanos;
  }

  Map<Cause, Long> causes() {
    return causes;
  }
}
