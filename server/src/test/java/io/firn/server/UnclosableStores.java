package io.firn.server;

import io.firn.store.ForwardingRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
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

  private static final class Unclosable extends ForwardingRegisterStore {

    private final boolean hangs;

    Unclosable(RegisterStore store, boolean hangs) {
      super(store);
      this.hangs = hangs;
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
