package io.firn.spark;

import io.firn.store.Binding;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import java.util.concurrent.atomic.LongAdder;

/** A store whose writes are counted. */
final class CountingStore extends ForwardingRegisterStore {

  private final LongAdder writes = new LongAdder();

  CountingStore(RegisterStore store) {
    super(store);
  }

  /** Returns how many writes there were since this was called last. */
  long newWrites() {
    return writes.sumThenReset();
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    writes.increment();
    return super.compareAndSet(name, expectedVersion, value);
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    writes.increment();
    return super.compareAndSet(name, expectedVersion, value, binding);
  }
}
