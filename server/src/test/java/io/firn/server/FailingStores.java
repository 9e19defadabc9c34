package io.firn.server;

import io.firn.lease.InMemoryRegisterStore;
import io.firn.lease.Register;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.StoreProvider;
import io.firn.lease.StoreUri;
import io.firn.lease.WriteResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stores in memory, each under the address {@code failing:NAME}, that are down when told so. */
public final class FailingStores implements StoreProvider {

  private static final Map<String, Store> STORES = new ConcurrentHashMap<>();

  /** Takes a store down, or has it come back. */
  public static void down(String name, boolean down) {
    store(name).down = down;
  }

  /** How often a store was asked for several registers at once. */
  public static int scans(String name) {
    return store(name).scans;
  }

  private static Store store(String name) {
    return STORES.computeIfAbsent(name, absent -> new Store());
  }

  @Override
  public Set<String> schemes() {
    return Set.of("failing");
  }

  @Override
  public String form() {
    return "failing:NAME";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    return store(uri.path());
  }

  private static final class Store implements RegisterStore {

    private final RegisterStore kept = new InMemoryRegisterStore();
    private volatile boolean down;
    private volatile int scans;

    private RegisterStore answer() {
      if (down) {
        throw new StoreException("store: failing: (expected: to answer)");
      }
      return kept;
    }

    @Override
    public Optional<Register> read(String name) {
      return answer().read(name);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time takes a census
    public List<Register> scan(String prefix) {
      scans++;
      return answer().scan(prefix);
    }

    @Override
    public WriteResult compareAndSet(String name, long expectedVersion, String value) {
      return answer().compareAndSet(name, expectedVersion, value);
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
      return "failing";
    }
  }
}
