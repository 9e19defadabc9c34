package io.firn.spring;

import io.firn.lease.InMemoryRegisterStore;
import io.firn.lease.Register;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.WriteResult;
import java.util.List;
import java.util.Optional;

/** A store in memory that can be down. */
final class BreakableStore implements RegisterStore {

  private final RegisterStore memory = new InMemoryRegisterStore();
  private volatile boolean down;

  void down(boolean down) {
    this.down = down;
  }

  private RegisterStore memory() {
    if (down) {
      throw new StoreException("store: down (expected: up)");
    }
    return memory;
  }

  @Override
  public Optional<Register> read(String name) {
    return memory().read(name);
  }

  @Override
  public List<Register> scan(String prefix) {
    return memory().scan(prefix);
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    return memory().compareAndSet(name, expectedVersion, value);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "breakable";
  }
}
