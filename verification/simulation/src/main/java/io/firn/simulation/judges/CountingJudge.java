package io.firn.simulation.judges;

import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the IDs that were issued twice, and why. */
public final class CountingJudge implements Judge {

  private final Map<Long, Slot> ids = new HashMap<>();
  private @Nullable Cause firstCause;
  private final World world;
  private long collisions;
  private long firstNanos;

  public CountingJudge(World world) {
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

  public long ids() {
    return ids.size() + collisions;
  }

  public long collisions() {
    return collisions;
  }

  public long firstNanos() {
    return firstNanos;
  }

  /** Returns what the first collision came from, if there was one. */
  public Optional<Cause> firstCause() {
    return Optional.ofNullable(firstCause);
  }
}
