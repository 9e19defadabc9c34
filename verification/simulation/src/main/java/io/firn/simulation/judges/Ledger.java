package io.firn.simulation.judges;

import io.firn.simulation.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ID times that each generator was granted, by the writes that the store applied. A fence that
 * moves from one time to a later one grants what lies between to the generator that moved it, and
 * to no other.
 */
public final class Ledger {

  private static final class Grant {
    final Object owner;
    final String token;
    final long fromMillis;
    long toMillis;
    long newestMillis = Long.MIN_VALUE;

    Grant(Object owner, String token, long fromMillis, long toMillis) {
      this.owner = owner;
      this.token = token;
      this.fromMillis = fromMillis;
      this.toMillis = toMillis;
    }
  }

  private final Map<Long, List<Grant>> workers = new HashMap<>();
  private final Map<Long, Long> shared = new HashMap<>();
  private final SegmentLedger segments = new SegmentLedger();

  /** The same of numbers that counters hand out. */
  public SegmentLedger segments() {
    return segments;
  }

  /** Takes note of a write that was applied. */
  public void written(Object writer, long worker, @Nullable WorkerText before, WorkerText after) {
    Object owner = originOf(writer);
    List<Grant> grants = workers.computeIfAbsent(worker, key -> new ArrayList<>());
    long fence = before == null ? Long.MIN_VALUE : before.fenceMillis();
    boolean goesOn = before != null && before.token().equals(after.token());
    if (goesOn && after.fenceMillis() < fence) {
      cutOff(grants, worker, after);
    } else {
      boolean known = grants.stream().anyMatch(grant -> grant.token.equals(after.token()));
      long begin = known ? fence : Math.max(fence, after.sinceMillis());
      grants.add(new Grant(owner, after.token(), begin, after.fenceMillis()));
    }
  }

  private static Object originOf(Object owner) {
    return owner instanceof Slot slot ? slot.origin() : owner;
  }

  /**
   * Takes note that a generator goes on twice. What it was granted until then both of them may
   * issue, and what one of them gives back of it a third: nothing is promised of those times.
   */
  public void copied(Slot slot) {
    workers.forEach(
        (worker, grants) ->
            grants.stream()
                .filter(grant -> grant.owner == slot.origin())
                .forEach(grant -> shared.merge(worker, grant.toMillis, Math::max)));
  }

  /** Returns whether that time of a worker was granted to a generator before it was copied. */
  boolean isShared(long worker, long millis) {
    return millis < shared.getOrDefault(worker, Long.MIN_VALUE);
  }

  /** Takes note of a write that the store showed, never acknowledged, and has taken back. */
  public void takenBack(long worker, WorkerText text) {
    List<Grant> grants = workers.getOrDefault(worker, List.of());
    if (!text.held() || grants.isEmpty()) {
      return;
    }
    Grant newest = grants.get(grants.size() - 1);
    if (newest.token.equals(text.token()) && newest.toMillis == text.fenceMillis()) {
      grants.remove(grants.size() - 1);
      if (newest.newestMillis > newest.fromMillis) {
        throw new Violation(
            "an ID of worker " + worker + " was issued in a window that it was not granted");
      }
    }
  }

  private static void cutOff(List<Grant> grants, long worker, WorkerText after) {
    for (Grant grant : grants) {
      if (grant.token.equals(after.token())) {
        grant.toMillis = Math.min(grant.toMillis, after.fenceMillis());
        if (grant.newestMillis > after.fenceMillis()) {
          throw new Violation(
              "the fence of worker " + worker + " was set back before an ID that was issued");
        }
      }
    }
  }

  /**
   * Returns whether that generator was granted all of that time, which is no longer than a tick.
   */
  boolean permits(Slot slot, long worker, long fromMillis, long toMillis) {
    Object owner = slot.origin();
    List<Grant> grants = workers.getOrDefault(worker, List.of());
    long reached = fromMillis;
    for (Grant grant : grants) {
      if (grant.owner == owner && grant.fromMillis <= reached && grant.toMillis > reached) {
        grant.newestMillis = Math.max(grant.newestMillis, Math.min(grant.toMillis, toMillis));
        reached = grant.toMillis;
      }
    }
    return reached >= toMillis;
  }
}
