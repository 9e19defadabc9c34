package io.firn.block;

import static io.firn.internal.Require.inRange;

import io.firn.block.PageRecord.Page;
import io.firn.internal.Require;
import io.firn.segment.RegisterSegments;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.util.List;

/**
 * Blocks of dense numbers, for bitmaps and arrays that have a place for each row: consecutive
 * numbers of a counter of {@link RegisterSegments}. Thread-safe; holds nothing that must be closed.
 *
 * <p>The numbers are unique among all blocks and all segments of the key. They begin with 1 unless
 * the counter was raised. They have no time, and any process that takes numbers of the key shares
 * them: what is not used is a gap. Named blocks of exactly as many numbers as there are rows leave
 * none, except where the outcome of a write is unknown.
 */
public final class NumberBlocks {

  private final RegisterSegments segments;
  private final String key;
  private final NamedBlocks<Segment> names;

  private NumberBlocks(RegisterStore store, String key) {
    segments = RegisterSegments.of(store);
    this.key = segments.requireKey(key);
    names = new NamedBlocks<>(store, key + "/numbers/", new KindOfNumbers(), TimeSource.system());
  }

  /**
   * Returns the blocks of a key.
   *
   * @param store keeps the counter; it is not closed here
   * @param key 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   * @throws IllegalArgumentException if the key is none, or the store refuses counters
   */
  public static NumberBlocks of(RegisterStore store, String key) {
    return new NumberBlocks(store, key);
  }

  /** Blocks of numbers under a name: the first number. */
  private final class KindOfNumbers implements BlockKind<Segment> {
    @Override
    public Segment take(long size, int room) {
      return NumberBlocks.this.take(size);
    }

    @Override
    public Page page(Segment block) {
      return new Page(block.count(), Long.toString(block.first()));
    }

    @Override
    public Segment block(Page page) {
      return Segment.of(Long.parseLong(page.place()), page.size());
    }
  }

  /**
   * Reserves consecutive numbers that no other caller ever gets. If fewer are left, the counter
   * keeps them for smaller blocks.
   *
   * @param size how many, 1..{@link IdBlocks#MAX_SIZE}
   * @throws SegmentRefusedException if fewer numbers are left, or the store may have lost some
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public Segment take(long size) {
    Segment taken = segments.next(key, inRange("size", 1, IdBlocks.MAX_SIZE, size));
    if (taken.count() == size) {
      return taken;
    }
    boolean givenBack = segments.giveBack(key, taken);
    throw new SegmentRefusedException(
        "Counter of key "
            + key
            + " had "
            + taken.count()
            + " numbers left, of "
            + size
            + " that a block needs; "
            + (givenBack
                ? "take a smaller block, or use another key"
                : "they could not be given back, use another key"));
  }

  /**
   * Returns the block of a name: reserved at the first call, the same block at every later call.
   *
   * @param size how many numbers, the same for the same name
   * @throws BlockShapeException if the job had another shape, or the block another size
   * @throws IllegalArgumentException if the store may forget: it would give a name another block
   * @throws SegmentRefusedException as {@link #take} does
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public Segment named(BlockName name, long size) {
    return names.open(name, inRange("size", 1, IdBlocks.MAX_SIZE, size));
  }

  /**
   * Lets a job's name be used again, with any shape. Its numbers are never given again.
   *
   * @return whether there was such a job; false if it was forgotten already
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public boolean forget(String job) {
    return names.forget(Require.name("job", job));
  }

  /** Returns the jobs that named blocks, in the order of their names. */
  public List<BlockJob> jobs() {
    return names.jobs();
  }

  /** Returns the key and the address of the store. */
  @Override
  public String toString() {
    return "numbers of " + key + " in " + segments;
  }
}
