package io.firn.server;

import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import io.firn.testkit.SwitchedStore;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stores in memory, each under the address {@code switched:NAME}. */
public final class SwitchedStores implements StoreProvider {

  private static final Map<String, SwitchedStore> STORES = new ConcurrentHashMap<>();

  /** The store of a name. */
  public static SwitchedStore named(String name) {
    return STORES.computeIfAbsent(name, absent -> new SwitchedStore());
  }

  @Override
  public Set<String> schemes() {
    return Set.of("switched");
  }

  @Override
  public String form() {
    return "switched:NAME";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    return named(uri.path());
  }
}
