package io.firn.simulation.judges;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.block.IdBlock;
import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.Violation;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * No tick of a worker is in two blocks, or in a block and in an ID of a generator. Of jobs: no ID
 * has two rows, and no row two IDs.
 */
public final class BlockJudge implements Judge {

  private final Judge generators;
  private final IdLayout layout;

  /** The times of which generators have issued IDs, by worker. */
  private final Map<Long, TreeSet<Long>> issued = new HashMap<>();

  /** The blocks by worker and the time at which they begin. */
  private final Map<Long, TreeMap<Long, IdBlock>> blocks = new HashMap<>();

  private final Map<String, Long> forgotten = new HashMap<>();
  private final Map<IdBlock, Long> openedFirst = new HashMap<>();
  private final Map<String, Long> idsOfRows = new HashMap<>();
  private final Map<Long, String> rowsOfIds = new HashMap<>();
  private long moment;
  private long count;
  private long rows;

  /** Creates a judge that has another one judge the IDs of generators. */
  public BlockJudge(Judge generators, IdLayout layout) {
    this.generators = generators;
    this.layout = layout;
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    generators.issued(slot, id, floor);
    IdParts parts = layout.parse(id);
    long millis = parts.instant().toEpochMilli();
    Map.Entry<Long, IdBlock> before = blocks(parts.worker()).floorEntry(millis);
    if (before != null && millis < endMillis(before.getValue())) {
      throw new Violation(slot + " issued " + id + " of a block, " + before.getValue());
    }
    ticks(parts.worker()).add(millis);
  }

  private void has(Object who, IdBlock block) {
    long beginMillis = block.from().toEpochMilli();
    for (long worker : block.workers()) {
      Map.Entry<Long, IdBlock> before = blocks(worker).lowerEntry(endMillis(block));
      if (before != null && endMillis(before.getValue()) > beginMillis) {
        if (before.getValue().equals(block)) {
          continue; // opened before
        }
        throw new Violation(
            who + " has " + block + ", a block in the times of " + before.getValue());
      }
      Long used = ticks(worker).ceiling(beginMillis);
      if (used != null && used < endMillis(block)) {
        throw new Violation(
            who + " has " + block + ", a block in whose times a generator issued an ID");
      }
      blocks(worker).put(beginMillis, block);
      count++;
    }
  }

  private static long endMillis(IdBlock block) {
    return block.until().toEpochMilli();
  }

  /** Records a block that no other job may have. */
  public void isFresh(Object who, IdBlock block) {
    long before = count;
    has(who, block);
    if (count - before != block.workers().size()) {
      throw new Violation(who + " was given a fresh block twice, " + block);
    }
  }

  /** Returns a moment, later than those before. */
  public long moment() {
    return ++moment;
  }

  /**
   * Records that a job was forgotten.
   *
   * @param begun the moment when the call began
   */
  public void forgot(String job, long begun) {
    forgotten.merge(job, begun, Math::max);
  }

  /** Returns the moment before which no block of a job can be had any more. */
  public long forgottenBefore(String job) {
    return forgotten.getOrDefault(job, 0L);
  }

  /**
   * Records a block that a job opened by its name.
   *
   * @param forgottenBefore what {@link #forgottenBefore} returned when the call began
   */
  public void opened(Object who, String job, long forgottenBefore, IdBlock block) {
    has(who, block);
    if (openedFirst.computeIfAbsent(block, key -> moment()) < forgottenBefore) {
      throw new Violation(who + " opened a block of " + job + " before it was forgotten, " + block);
    }
  }

  /**
   * Records the ID of a job's row.
   *
   * @param always whether the row keeps that ID
   */
  public void stamped(String row, long id, boolean always) {
    rows++;
    String other = rowsOfIds.putIfAbsent(id, row);
    if (other != null && !other.equals(row)) {
      throw new Violation("of blocks, the ID " + id + " has two rows, " + other + " and " + row);
    }
    Long first = idsOfRows.putIfAbsent(row, id);
    if (always && first != null && first != id) {
      throw new Violation("of blocks, " + row + " has two IDs, " + first + " and " + id);
    }
  }

  private NavigableSet<Long> ticks(long worker) {
    return issued.computeIfAbsent(worker, key -> new TreeSet<>());
  }

  private NavigableMap<Long, IdBlock> blocks(long worker) {
    return blocks.computeIfAbsent(worker, key -> new TreeMap<>());
  }

  /** Returns how many blocks there are, those of several workers once for each. */
  public long count() {
    return count;
  }

  /** Returns how many rows were given their ID, each time that it was read. */
  public long rows() {
    return rows;
  }
}
