package io.firn.testkit;

import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory that goes down or makes its callers wait on request. Thread-safe. */
public final class SwitchedStore implements RegisterStore {

  private final RegisterStore registers = new InMemoryRegisterStore();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger scans = new AtomicInteger();
  private volatile boolean down;
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** Creates a store that answers. */
  public SwitchedStore() {}

  /** Takes the store down, or has it come back. */
  public void down(boolean down) {
    this.down = down;
  }

  /** Makes callers wait from now on. */
  public void hold() {
    gate = new CountDownLatch(1);
  }

  /** Answers all waiting calls. */
  public void letGo() {
    gate.countDown();
  }

  /** Returns how many calls the store received. */
  public int calls() {
    return calls.get();
  }

  /** Returns how many scans the store received. */
  public int scans() {
    return scans.get();
  }

  private RegisterStore answer() {
    calls.incrementAndGet();
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (down) {
      throw new StoreException("Store " + this + " did not answer");
    }
    return registers;
  }

  @Override
  public Optional<Register> read(String name) {
    return answer().read(name);
  }

  @Override
  public List<Register> scan(String prefix) {
    scans.incrementAndGet();
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
    return "switched:";
  }
}
