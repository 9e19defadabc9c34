package io.firn.benchmarks;

import io.firn.store.Binding;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of a store: reads, scans and writes. Thread-safe. */
final class CountingStore extends ForwardingRegisterStore {

  private final LongAdder reads = new LongAdder();
  private final LongAdder scans = new LongAdder();
  private final LongAdder writes = new LongAdder();

  CountingStore(RegisterStore store) {
    super(store);
  }

  /** Returns the calls that read some registers by name. */
  long reads() {
    return reads.sum();
  }

  /** Returns the calls that read all registers of a namespace. */
  long scans() {
    return scans.sum();
  }

  long writes() {
    return writes.sum();
  }

  long calls() {
    return reads() + scans() + writes();
  }

  @Override
  public Optional<Register> read(String name) {
    reads.increment();
    return super.read(name);
  }

  @Override
  public List<Register> readAll(List<String> names) {
    reads.increment();
    return super.readAll(names);
  }

  @Override
  public List<Register> scan(String prefix) {
    scans.increment();
    return super.scan(prefix);
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    writes.increment();
    return super.compareAndSet(name, expectedVersion, value);
  }

  @Override
  public Optional<Snapshot> snapshot(List<String> names) {
    Optional<Snapshot> snapshot = super.snapshot(names);
    snapshot.ifPresent(read -> reads.increment()); // without an identity there is no call
    return snapshot;
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    writes.increment();
    return super.compareAndSet(name, expectedVersion, value, binding);
  }

  @Override
  public OptionalLong currentTimeMillis() {
    OptionalLong millis = super.currentTimeMillis();
    millis.ifPresent(any -> reads.increment());
    return millis;
  }
}
