package io.firn.store;

import org.jspecify.annotations.Nullable;

/**
 * Reads a register inside a transaction of the store's database, and locks it, shared, until the
 * transaction ends: no one writes it before.
 *
 * @param <E> thrown if the database refuses
 */
@FunctionalInterface
public interface LockedRead<E extends Exception> {

  /** Returns the value of that register; null if it is not there. */
  @Nullable String value(String register) throws E;
}
