package io.firn.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The base of a store that is reached over a network: checks names and values, refuses calls after
 * {@link #close}, and limits the time of each call.
 *
 * <p>A call finishes before it is interrupted, because it is short: the thread's interrupt status
 * is cleared while the store is asked and set again afterwards.
 */
public abstract class RemoteRegisterStore implements RegisterStore {

  private final Duration timeout;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates the part of a store that all subclasses share.
   *
   * @param timeout how long one call may take
   */
  protected RemoteRegisterStore(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Reads registers as {@link RegisterStore#readAll} does.
   *
   * @param names at least one, each of them checked
   */
  protected abstract List<Register> readAll(List<String> names, StoreCall call);

  /** Reads registers as {@link RegisterStore#scan} does. */
  protected abstract List<Register> scan(String prefix, StoreCall call);

  /**
   * Writes a register as {@link RegisterStore#compareAndSet} does; name and value are checked. A
   * write that may have been applied is {@link WriteResult#UNKNOWN}; one that certainly was not,
   * and never will be, is a {@link StoreException}. A write is never sent twice.
   */
  protected abstract WriteResult compareAndSet(
      String name, long expectedVersion, String value, StoreCall call);

  /** Reads registers as {@link RegisterStore#snapshot} does; empty if not overridden. */
  protected Optional<Snapshot> snapshot(List<String> names, StoreCall call) {
    return Optional.empty();
  }

  /**
   * Writes a register as {@link RegisterStore#compareAndSet(String, long, String, Binding)} does;
   * see {@link #compareAndSet(String, long, String, StoreCall)}.
   */
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding, StoreCall call) {
    throw new UnsupportedOperationException("store: " + this + " (expected: one with an identity)");
  }

  /** Reads the store's clock as {@link RegisterStore#currentTimeMillis} does; empty if not set. */
  protected OptionalLong currentTimeMillis(StoreCall call) {
    return OptionalLong.empty();
  }

  /** Returns the timeout that the constructor was given. */
  @Override
  public Optional<Duration> callTimeout() {
    return Optional.of(timeout);
  }

  /** Lets go of connections and threads; called once. */
  protected abstract void disconnect();

  @Override
  public final Optional<Register> read(String name) {
    return readAll(List.of(name)).stream().findFirst();
  }

  @Override
  public final List<Register> readAll(List<String> names) {
    names.forEach(Register::requireName);
    return names.isEmpty() ? List.of() : call(call -> readAll(names, call));
  }

  @Override
  public final List<Register> scan(String prefix) {
    return call(call -> scan(prefix, call));
  }

  @Override
  public final WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Register.requireName(name);
    Register.requireValue(value);
    return call(call -> compareAndSet(name, expectedVersion, value, call));
  }

  @Override
  public final Optional<Snapshot> snapshot(List<String> names) {
    names.forEach(Register::requireName);
    return call(call -> snapshot(names, call));
  }

  @Override
  public final WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    Register.requireName(name);
    Register.requireValue(value);
    return call(call -> compareAndSet(name, expectedVersion, value, binding, call));
  }

  @Override
  public final OptionalLong currentTimeMillis() {
    return call(this::currentTimeMillis);
  }

  /**
   * Makes a call.
   *
   * @throws StoreClosedException if the store is closed
   */
  protected final <T> T call(Function<StoreCall, T> action) {
    requireOpen();
    boolean interrupted = Thread.interrupted();
    try {
      return action.apply(new StoreCall(this, timeout));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Refuses what would connect after {@link #disconnect}.
   *
   * @throws StoreClosedException if the store is closed
   */
  protected final void requireOpen() {
    if (closed.get()) {
      throw new StoreClosedException("Store " + this + " is closed; close it after its generators");
    }
  }

  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      disconnect();
    }
  }

  /** Returns the address of the store, without secrets. */
  @Override
  public abstract String toString();
}
