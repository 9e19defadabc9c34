package io.firn.simulation.world;

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
    final long fenceMillis;
    final long fromMillis;
    long toMillis;
    long newestMillis = Long.MIN_VALUE;
    boolean acknowledged;

    Grant(Object owner, String token, long fenceMillis, long fromMillis, long toMillis) {
      this.owner = owner;
      this.token = token;
      this.fenceMillis = fenceMillis;
      this.fromMillis = fromMillis;
      this.toMillis = toMillis;
    }
  }

  private final Map<Long, List<Grant>> workers = new HashMap<>();
  private final Map<Long, Long> shared = new HashMap<>();
  private final Map<Long, List<Grant>> acknowledged = new HashMap<>();
  private final SegmentLedger segments = new SegmentLedger();

  /** Returns the same of numbers that counters hand out. */
  public SegmentLedger segments() {
    return segments;
  }

  /** Records a write that was applied. */
  public void written(Object writer, long worker, @Nullable WorkerText before, WorkerText after) {
    if (!after.held() && writer instanceof Slot) { // a reader declares dead what the store shows
      cutOff(acknowledged.getOrDefault(worker, List.of()), worker, after);
    }
    Object owner = originOf(writer);
    List<Grant> grants = workers.computeIfAbsent(worker, key -> new ArrayList<>());
    long fence = before == null ? Long.MIN_VALUE : before.fenceMillis();
    boolean goesOn = before != null && before.token().equals(after.token());
    if (goesOn && after.fenceMillis() < fence) {
      cutOff(grants, worker, after);
    } else {
      boolean known = grants.stream().anyMatch(grant -> grant.token.equals(after.token()));
      long free = known ? fence : freeFrom(grants, owner, before, after);
      long begin = known ? fence : Math.max(free, after.sinceMillis());
      grants.add(new Grant(owner, after.token(), free, begin, after.fenceMillis()));
    }
  }

  /**
   * Returns from when on a worker is free for a generator that acquires it. If the current contents
   * are an acquisition of its own that was never acknowledged, that is from the fence before that.
   */
  private static long freeFrom(
      List<Grant> grants, Object owner, @Nullable WorkerText before, WorkerText after) {
    if (before == null) {
      return Long.MIN_VALUE;
    }
    boolean earlier = before.held() && after.sinceMillis() < before.sinceMillis();
    return grants.stream()
        .filter(grant -> earlier && grant.owner == owner && grant.token.equals(before.token()))
        .findFirst()
        .map(grant -> grant.fenceMillis)
        .orElse(before.fenceMillis());
  }

  private static Object originOf(Object owner) {
    return owner instanceof Slot slot ? slot.origin() : owner;
  }

  /** Records that a generator's write was acknowledged: all that its lease was granted counts. */
  public void acknowledged(Slot slot, long worker, WorkerText text) {
    for (Grant grant : workers.getOrDefault(worker, List.of())) {
      if (grant.owner == slot.origin() && grant.token.equals(text.token())) {
        grant.acknowledged = true;
      }
    }
  }

  /** Records that copies may use a worker's times up to a fence. */
  public void share(long worker, long fenceMillis) {
    shared.merge(worker, fenceMillis, Math::max);
  }

  /**
   * Records that a generator continues twice. Both copies may issue what was acknowledged until
   * then, and a third generator what a copy gives back: nothing is promised of those times.
   */
  public void copied(Slot slot) {
    workers.forEach(
        (worker, grants) ->
            grants.stream()
                .filter(grant -> grant.owner == slot.origin() && grant.acknowledged)
                .forEach(grant -> share(worker, grant.toMillis)));
  }

  /** Returns whether that time of a worker copies of a generator may both use. */
  public boolean isShared(long worker, long millis) {
    return millis < shared.getOrDefault(worker, Long.MIN_VALUE);
  }

  /** Records a write that the store showed, never acknowledged, and has taken back. */
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

  /**
   * Records a write that was acknowledged to its writer, in a store that may lose it.
   *
   * @throws Violation if it grants a time that another generator was granted
   */
  public void acknowledged(Object writer, long worker, WorkerText text) {
    Object owner = originOf(writer);
    if (!text.held()) {
      return; // it ended when it was written
    }
    List<Grant> all = acknowledged.computeIfAbsent(worker, key -> new ArrayList<>());
    Grant own =
        all.stream().filter(grant -> grant.token.equals(text.token())).findFirst().orElse(null);
    if (own == null) {
      own =
          new Grant(
              owner, text.token(), text.sinceMillis(), text.sinceMillis(), text.fenceMillis());
      all.add(own);
    }
    own.toMillis = Math.max(own.toMillis, text.fenceMillis());
    for (Grant other : all) {
      if (other.owner != owner
          && other.fromMillis < own.toMillis
          && own.fromMillis < other.toMillis) {
        throw new Violation("a window of worker " + worker + " was granted twice");
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
  public boolean permits(Slot slot, long worker, long fromMillis, long toMillis) {
    Object owner = slot.origin();
    Map<Long, List<Grant>> granted = acknowledged.isEmpty() ? workers : acknowledged;
    List<Grant> grants = granted.getOrDefault(worker, List.of());
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
