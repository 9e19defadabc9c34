package io.firn.spring;

import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import java.util.function.Function;

/**
 * Something that the application has, and in which a store can be opened.
 *
 * @param name as {@code firn.store} names it: alone, or as {@code NAME:?PARAMETER=VALUE}
 */
record StoreSource(String name, Function<StoreUri, RegisterStore> opener) {

  /** Returns whether a setting of {@code firn.store} means this. */
  boolean isMeantBy(String store) {
    return store.equals(name) || store.startsWith(name + ":?");
  }

  /** Opens the store, with the parameters that the setting has. */
  RegisterStore open(String store) {
    return opener.apply(StoreUri.parse(store.equals(name) ? name + ":" : store));
  }
}
