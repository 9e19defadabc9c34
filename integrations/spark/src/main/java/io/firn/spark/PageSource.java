package io.firn.spark;

import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The IDs of one namespace, on the driver. Reserves a block with a few writes to the store, and
 * cuts it into pages. Thread-safe.
 */
final class PageSource {

  private static final Logger LOG = LoggerFactory.getLogger("io.firn.spark");

  private static final long FIRST_BLOCK = 1 << 16;
  private static final long LARGEST_BLOCK = 1 << 24;

  /** The rest of an older block is left, so that the times of IDs are close to the clock. */
  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int number;
  private final String namespace;
  private final IdBlocks blocks;
  private final CountingStore store;
  private final Tally tally;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable IdBlock block;
  private long next;
  private long reservedNanos;
  private long size = FIRST_BLOCK;
  private long newBlocks;
  private long allBlocks;
  private long allIds;

  PageSource(
      int number,
      String namespace,
      IdBlocks blocks,
      CountingStore store,
      Tally tally,
      TimeSource time) {
    this.number = number;
    this.namespace = namespace;
    this.blocks = blocks;
    this.store = store;
    this.tally = tally;
    this.time = time;
  }

  int number() {
    return number;
  }

  Tally tally() {
    return tally;
  }

  /** Returns some unique IDs: at least one, at most the requested number. */
  ServedPage page(long asked) {
    lock.lock();
    try {
      IdBlock current = block;
      long now = time.nanoTime();
      if (current == null || next == current.size() || now - reservedNanos > KEPT_NANOS) {
        current = reserve(Math.max(size, asked));
        size = Math.min(LARGEST_BLOCK, 2 * size);
        block = current;
        next = 0;
        reservedNanos = now;
      }
      long from = next;
      next = Math.min(current.size(), from + asked);
      ServedPage served = new ServedPage(current, from, next, newBlocks, store.newWrites());
      newBlocks = 0;
      return served;
    } finally {
      lock.unlock();
    }
  }

  private IdBlock reserve(long wanted) {
    IdBlock reserved = blocks.take(wanted);
    newBlocks++;
    note(reserved);
    return reserved;
  }

  /** Returns the block of a name; see {@link IdBlocks#named}. */
  IdBlock named(BlockName name, long wanted) {
    IdBlock reserved = blocks.named(name, wanted);
    lock.lock();
    try {
      note(reserved);
    } finally {
      lock.unlock();
    }
    tally.add(new ServedPage(reserved, 0, wanted, 1, store.newWrites()));
    return reserved;
  }

  private void note(IdBlock reserved) {
    allBlocks++;
    allIds += reserved.size();
    LOG.info(
        "Reserved {} IDs of {} in {}; {} IDs in {} blocks since the application began",
        reserved.size(),
        namespace,
        store,
        allIds,
        allBlocks);
  }
}
