/**
 * The SPI that a store author implements: {@link io.firn.store.RegisterStore} and what belongs to
 * it, with the file and in-memory stores.
 */
@NullMarked
package io.firn.store;

import org.jspecify.annotations.NullMarked;
