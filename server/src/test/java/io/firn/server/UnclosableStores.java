package io.firn.server;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import io.firn.store.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * Stores in memory that cannot be closed: at {@code unclosable:fails} it fails, at {@code
 * unclosable:hangs} it never ends.
 */
public final class UnclosableStores implements StoreProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("unclosable");
  }

  @Override
  public String form() {
    return "unclosable:fails";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    return new Unclosable(RegisterStore.open("memory:"), uri.path().equals("hangs"));
  }

  private record Unclosable(RegisterStore store, boolean hangs) implements RegisterStore {

    @Override
    public Optional<Register> read(String name) {
      return store.read(name);
    }

    @Override
    public List<Register> scan(String prefix) {
      return store.scan(prefix);
    }

    @Override
    public WriteResult compareAndSet(String name, long expectedVersion, String value) {
      return store.compareAndSet(name, expectedVersion, value);
    }

    @Override
    public void close() {
      while (hangs) {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.interrupted();
        }
      }
      throw new IllegalStateException("the store cannot be closed");
    }
  }
}
