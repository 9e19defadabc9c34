package io.firn.store;

import java.util.Set;

/**
 * Opens register stores by their addresses. Found with {@link java.util.ServiceLoader}, so an
 * application adds a store by putting its provider on the class or module path.
 */
public interface StoreProvider {

  /** Returns the schemes that it serves, in lower case: {@code redis}, {@code rediss}. */
  Set<String> schemes();

  /** Returns the form of its addresses, for help and errors: {@code redis://HOST:PORT}. */
  String form();

  /**
   * Opens a store. Does not connect; the first call does.
   *
   * @throws IllegalArgumentException if the address is not of {@link #form}, or has parameters that
   *     the store does not know
   * @throws StoreException if the store cannot be opened
   */
  RegisterStore open(StoreUri uri);
}
