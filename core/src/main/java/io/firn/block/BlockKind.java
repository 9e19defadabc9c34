package io.firn.block;

import io.firn.block.PageRecord.Page;

/**
 * The content of named blocks: IDs of workers, or numbers of a counter.
 *
 * @param <B> the type of a block
 */
interface BlockKind<B> {

  /**
   * Reserves a block of that size, which no other caller ever gets.
   *
   * @param room how many characters the place of its page has
   */
  B take(long size, int room);

  /** Returns what is written under the name of a block. */
  Page page(B block);

  /**
   * Returns the block that {@link #page} wrote.
   *
   * @throws IllegalArgumentException if it wrote something else
   */
  B block(Page page);
}
