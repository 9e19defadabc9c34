package io.firn.spark;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/** A store whose writes are counted. */
final class CountingStore implements RegisterStore {

  private final RegisterStore store;
  private final LongAdder writes = new LongAdder();

  CountingStore(RegisterStore store) {
    this.store = store;
  }

  /** Returns how many writes there were since this was called last. */
  long newWrites() {
    return writes.sumThenReset();
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    writes.increment();
    return store.compareAndSet(name, expectedVersion, value);
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    writes.increment();
    return store.compareAndSet(name, expectedVersion, value, binding);
  }

  @Override
  public Optional<Register> read(String name) {
    return store.read(name);
  }

  @Override
  public List<Register> readAll(List<String> names) {
    return store.readAll(names);
  }

  @Override
  public List<Register> scan(String prefix) {
    return store.scan(prefix);
  }

  @Override
  public Optional<Snapshot> snapshot(List<String> names) {
    return store.snapshot(names);
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return store.currentTimeMillis();
  }

  @Override
  public boolean mayForget() {
    return store.mayForget();
  }

  @Override
  public boolean allowsCounters() {
    return store.allowsCounters();
  }

  @Override
  public Optional<Duration> callTimeout() {
    return store.callTimeout();
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
