package io.firn.integration;

import io.firn.FirnException;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * New IDs for one task of a framework, out of blocks that it takes. A block is left after a minute,
 * so that the times of IDs are close to the clock, and the next one has as many IDs as were used.
 * If these are used up earlier, the one after it has twice as many, up to the size. Not
 * thread-safe.
 */
public final class FreshBlocks {

  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final IdBlocks blocks;
  private final long size;
  private final TimeSource time;
  private @Nullable IdBlock block;
  private long used;
  private long takenNanos;

  /**
   * Creates IDs, and takes no block yet.
   *
   * @param size how many IDs are taken at first, and at most at once, 1..{@link IdBlocks#MAX_SIZE}
   */
  public FreshBlocks(IdBlocks blocks, long size) {
    this(blocks, size, TimeSource.system());
  }

  FreshBlocks(IdBlocks blocks, long size, TimeSource time) {
    this.blocks = blocks;
    this.size = size;
    this.time = time;
  }

  /**
   * Returns an ID that no other caller ever gets. Where a new block is wanted and cannot be taken,
   * it uses what is left of the last one; where nothing is left, it throws as {@link
   * IdBlocks#take(long)} does.
   */
  public long next() {
    IdBlock current = block;
    boolean left = current != null && used < current.size();
    if (current == null || !left || time.nanoTime() - takenNanos > KEPT_NANOS) {
      current = taken(left ? current : null);
    }
    return current.get(used++);
  }

  private IdBlock taken(@Nullable IdBlock rest) {
    IdBlock next;
    try {
      next = blocks.take(count(rest != null));
      used = 0;
    } catch (FirnException | IllegalStateException e) {
      if (rest == null) {
        throw e;
      }
      next = rest;
    }
    block = next;
    takenNanos = time.nanoTime();
    return next;
  }

  private long count(boolean old) {
    if (block == null) {
      return size;
    }
    return old ? Math.max(1, used) : Math.min(size, 2 * block.size());
  }
}
