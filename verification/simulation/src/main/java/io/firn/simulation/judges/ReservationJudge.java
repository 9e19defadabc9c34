package io.firn.simulation.judges;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.lease.WorkerEntry;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.Violation;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** No lease issues an ID in the times of which another system may issue with a reserved worker. */
public final class ReservationJudge implements Judge {

  /** One worker that is reserved. */
  private static final class Reserved {
    private final NavigableSet<Long> leased = new TreeSet<>();
    private final NavigableMap<Long, Long> times = new TreeMap<>();
    private @Nullable Incarnation operator;
    private boolean runs;
    private long newestMillis;
  }

  private final Judge generators;
  private final IdLayout layout;
  private final Map<Long, Reserved> workers = new HashMap<>();
  private long count;
  private long ended;

  /** Creates a judge that has another one judge the IDs of generators. */
  public ReservationJudge(Judge generators, IdLayout layout) {
    this.generators = generators;
    this.layout = layout;
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    generators.issued(slot, id, floor);
    IdParts parts = layout.parse(id);
    long millis = parts.instant().toEpochMilli();
    Reserved worker = of(parts.worker());
    Map.Entry<Long, Long> before = worker.times.floorEntry(millis);
    if (before != null && millis < before.getValue()) {
      throw new Violation(slot + " issued " + id + " of a worker that is reserved");
    }
    worker.leased.add(millis);
  }

  private Reserved of(long worker) {
    return workers.computeIfAbsent(worker, key -> new Reserved());
  }

  /** Returns whether an operator may act on a worker: one at a time does. */
  public boolean begins(Incarnation operator, long worker) {
    Reserved reserved = of(worker);
    Incarnation other = reserved.operator;
    if (other != null && !other.isDead()) {
      return false;
    }
    reserved.operator = operator;
    return true;
  }

  /** Records that an operator has finished. */
  public void ends(Incarnation operator, long worker) {
    Reserved reserved = of(worker);
    if (reserved.operator == operator) {
      reserved.operator = null;
    }
  }

  /** Records that the other system may issue with a worker from now on. */
  public void reserved(Object who, long worker, long sinceMillis, long untilMillis) {
    Reserved reserved = of(worker);
    Long used = reserved.leased.ceiling(sinceMillis);
    if (used != null && used < untilMillis) {
      throw new Violation(
          who
              + " has worker "
              + worker
              + " for another system, which is reserved"
              + " for times of which a lease issued an ID");
    }
    reserved.times.put(sinceMillis, untilMillis);
    reserved.runs = true;
    reserved.newestMillis = sinceMillis;
    count++;
  }

  /** Issues an ID of the other system of about that time, if that has the worker. */
  public void issuesElsewhere(long worker, long millis) {
    Reserved reserved = of(worker);
    Map.Entry<Long, Long> last = reserved.times.lastEntry();
    if (reserved.runs && last != null) {
      long time = Math.max(last.getKey(), Math.min(millis, last.getValue() - 1));
      reserved.newestMillis = Math.max(reserved.newestMillis, time);
    }
  }

  /**
   * Ends the other system, and returns the time of its newest ID; empty if it does not run, or if
   * its reservation has an end: past that a lease may have the worker, whose fence no operator
   * lowers while it lives.
   */
  public OptionalLong endsElsewhere(long worker) {
    Reserved reserved = of(worker);
    Map.Entry<Long, Long> last = reserved.times.lastEntry();
    if (!reserved.runs || last == null || last.getValue() < WorkerEntry.NEVER.toEpochMilli()) {
      return OptionalLong.empty();
    }
    reserved.runs = false;
    reserved.times.put(last.getKey(), Math.min(last.getValue(), reserved.newestMillis + 1));
    ended++;
    return OptionalLong.of(reserved.newestMillis);
  }

  /** Returns how many reservations were made, those that were extended each time. */
  public long count() {
    return count;
  }

  /** Returns how many of them were ended. */
  public long ended() {
    return ended;
  }
}
