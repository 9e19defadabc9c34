package io.firn.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the IDs that were issued twice, and why. */
final class CountingJudge implements Judge {

  private final Map<Long, Slot> ids = new HashMap<>();
  private @Nullable Cause firstCause;
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
      firstCause = Cause.of(before, slot);
    }
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

  /** What the first collision came from, if there was one. */
  Optional<Cause> firstCause() {
    return Optional.ofNullable(firstCause);
  }
}
