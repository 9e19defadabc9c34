package io.firn;

import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The IDs that generators of one layout can issue: those of a set of worker IDs, in an interval of
 * ID time. Two generators whose spaces are disjoint never issue the same number, regardless of
 * their clocks and their epochs.
 *
 * <p>Spaces are immutable.
 */
public final class IdSpace {

  private final IdLayout layout;
  private final WorkerSet workers;
  private final long firstTick;
  private final long lastTick;

  private IdSpace(IdLayout layout, WorkerSet workers, long firstTick, long lastTick) {
    this.layout = layout;
    this.workers = workers;
    this.firstTick = firstTick;
    this.lastTick = lastTick;
  }

  /** Returns every ID of a layout. */
  public static IdSpace of(IdLayout layout) {
    WorkerSet all = WorkerSet.of(List.of(new WorkerSet.Range(0, layout.workers() - 1)));
    long lastTick = layout.field(Kind.TIME).orElseThrow().max();
    return new IdSpace(layout, all, 0, lastTick);
  }

  /**
   * Returns this space with these workers only.
   *
   * @throws IllegalArgumentException if the layout has not all of them, or there are none
   */
  public IdSpace withWorkers(WorkerSet workers) {
    return new IdSpace(layout, workers.within(layout), firstTick, lastTick);
  }

  /** Returns this space without the ticks that end at that instant or earlier. */
  public IdSpace from(Instant from) {
    long tick = from.isBefore(layout.expiresAt()) ? layout.tickAt(from) : Long.MAX_VALUE;
    return new IdSpace(layout, workers, Math.max(firstTick, tick), lastTick);
  }

  /** Returns this space without the ticks that begin at that instant or later. */
  public IdSpace until(Instant until) {
    if (!until.isAfter(layout.epoch())) {
      return new IdSpace(layout, workers, firstTick, -1);
    }
    long last = until.isAfter(layout.expiresAt()) ? lastTick : layout.tickAt(until.minusNanos(1));
    return new IdSpace(layout, workers, firstTick, Math.min(lastTick, last));
  }

  /** Returns the layout. */
  public IdLayout layout() {
    return layout;
  }

  /** Returns the worker IDs. */
  public WorkerSet workers() {
    return workers;
  }

  /** Returns whether it has no ID, because the layout has no tick in its interval. */
  public boolean isEmpty() {
    return firstTick > lastTick;
  }

  /** Returns whether a generator of this space can issue that ID. */
  public boolean contains(long id) {
    if (!layout.fits(id)) {
      return false;
    }
    IdParts parts = layout.parse(id);
    return firstTick <= parts.tick()
        && parts.tick() <= lastTick
        && workers.contains(layout.workerId(parts.datacenter(), parts.worker()));
  }

  /**
   * Returns an ID that generators of both spaces can issue; empty if there is none. IDs of 64 bits
   * compare as unsigned numbers.
   */
  public OptionalLong common(IdSpace other) {
    for (IdBox mine : boxes()) {
      for (IdBox others : other.boxes()) {
        OptionalLong common = mine.common(others);
        if (common.isPresent()) {
          return common;
        }
      }
    }
    return OptionalLong.empty();
  }

  /** Returns boxes that have these IDs together. */
  private List<IdBox> boxes() {
    List<IdBox> boxes = new ArrayList<>();
    if (isEmpty()) {
      return boxes;
    }
    int bits = layout.bits(Kind.WORKER);
    long lastWorker = (1L << bits) - 1;
    for (WorkerSet.Range range : workers.ranges()) {
      // A range over several datacenters: the rest of the first, whole ones, a part of the last.
      long first = range.first() >>> bits;
      long last = range.last() >>> bits;
      long from = range.first() & lastWorker;
      long to = range.last() & lastWorker;
      if (first == last) {
        boxes.add(box(first, first, from, to));
        continue;
      }
      boxes.add(box(first, first, from, lastWorker));
      if (last - first > 1) {
        boxes.add(box(first + 1, last - 1, 0, lastWorker));
      }
      boxes.add(box(last, last, 0, to));
    }
    return boxes;
  }

  private IdBox box(long firstDatacenter, long lastDatacenter, long firstWorker, long lastWorker) {
    long[] low = new long[layout.fields().size()];
    long[] high = new long[low.length];
    for (int i = 0; i < low.length; i++) {
      Field field = layout.fields().get(i);
      switch (field.kind()) {
        case TIME -> {
          low[i] = firstTick;
          high[i] = lastTick;
        }
        case DATACENTER -> {
          low[i] = firstDatacenter;
          high[i] = lastDatacenter;
        }
        case WORKER -> {
          low[i] = firstWorker;
          high[i] = lastWorker;
        }
        case SEQUENCE -> high[i] = field.max();
      }
    }
    return new IdBox(layout.fields(), low, high);
  }
}
