/**
 * Blocks of IDs for bulk work: reserved once in a {@link io.firn.store.RegisterStore}, then used
 * without it, by any process. A {@linkplain io.firn.block.IdBlocks#take fresh} block is never given
 * again; a {@linkplain io.firn.block.IdBlocks#named named} one is the same whenever it is asked
 * for.
 */
@NullMarked
package io.firn.block;

import org.jspecify.annotations.NullMarked;
