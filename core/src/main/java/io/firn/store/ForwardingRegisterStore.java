package io.firn.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A store that passes every call on to another one. The base of a store that changes or observes
 * some of the calls, such as one that counts them.
 */
public abstract class ForwardingRegisterStore implements RegisterStore {

  private final RegisterStore store;

  /** Passes calls on to that store. */
  protected ForwardingRegisterStore(RegisterStore store) {
    this.store = store;
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
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    return store.compareAndSet(name, expectedVersion, value);
  }

  @Override
  public Optional<Snapshot> snapshot(List<String> names) {
    return store.snapshot(names);
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    return store.compareAndSet(name, expectedVersion, value, binding);
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
  public boolean isScanCurrent() {
    return store.isScanCurrent();
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
