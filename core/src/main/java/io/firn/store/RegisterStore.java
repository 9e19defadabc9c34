package io.firn.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A set of named, versioned registers: all that Firn needs of a coordinator.
 *
 * <p>{@link #read} and {@link #compareAndSet} are linearizable per register, and acknowledged
 * writes are kept, unless the store {@linkplain #mayForget() may forget}. {@link #scan} may be
 * stale. A store holds no logic of leases or segments. Implementations are thread-safe, and every
 * call returns within a time that is short against half a lease's window.
 *
 * <p>Names have 1..{@value #MAX_NAME_LENGTH} characters, values up to {@value #MAX_VALUE_LENGTH}
 * characters; both are any Unicode text without unpaired surrogates and U+0000.
 */
public interface RegisterStore extends AutoCloseable {

  /** The longest name of a register, in characters. */
  int MAX_NAME_LENGTH = 200;

  /** The longest value of a register, in characters. */
  int MAX_VALUE_LENGTH = 65_536;

  /**
   * Opens the store at an address: {@code file:DIR}, {@code memory:}, or what a {@link
   * StoreProvider} on the class or module path serves. Does not connect; the first call does.
   *
   * @throws IllegalArgumentException if there is no provider for it, or it refuses the address
   * @throws StoreException if the store cannot be opened
   */
  static RegisterStore open(String uri) {
    return StoreProviders.open(StoreUri.parse(uri));
  }

  /**
   * Reads a register. The result may be a write that was not acknowledged yet, and that a crash or
   * a failover takes back: only a compare-and-set that was applied is an acknowledgment.
   *
   * @return empty if it was never written
   * @throws StoreException if the store cannot be asked now
   */
  Optional<Register> read(String name);

  /**
   * Reads several registers, in one round trip where the store can. Each is read as by {@link
   * #read}; together they are no snapshot.
   *
   * @return those that were ever written, in no order
   * @throws StoreException if the store cannot be asked now
   */
  default List<Register> readAll(List<String> names) {
    return names.stream().map(this::read).flatMap(Optional::stream).toList();
  }

  /**
   * Reads all registers whose names begin with {@code prefix}, in no order; possibly not the latest
   * state of each.
   *
   * @throws StoreException if the store cannot be asked now
   */
  List<Register> scan(String prefix);

  /**
   * Writes a register if it still has the version that the caller saw.
   *
   * @param expectedVersion the version read before, or 0 for a register that must not exist
   * @return applied, conflict or unknown
   * @throws StoreException if the write was certainly not applied and never will be
   */
  WriteResult compareAndSet(String name, long expectedVersion, String value);

  /**
   * Reads registers together with the store's identity and clock, at one moment. A store that can
   * detect a possible loss of acknowledged writes implements this and {@linkplain
   * #compareAndSet(String, long, String, Binding) bound writes}; leases then stay unique across
   * such a loss.
   *
   * @return empty if the store has no identity
   * @throws StoreException if the store cannot be asked now, or does not accept writes
   */
  default Optional<Snapshot> snapshot(List<String> names) {
    return Optional.empty();
  }

  /**
   * Writes a register if it still has the version that the caller saw, and the binding holds too,
   * both at the moment of the write. Otherwise, the result is a conflict.
   *
   * @param expectedVersion the version read before, or 0 for a register that must not exist
   * @return applied, conflict or unknown
   * @throws StoreException if the write was certainly not applied and never will be
   * @throws UnsupportedOperationException if the store has no identity
   */
  default WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    throw new UnsupportedOperationException("store: " + this + " (expected: one with an identity)");
  }

  /**
   * Returns the time of the store's own clock, in milliseconds since 1970-01-01T00:00Z, if it has
   * one.
   */
  default OptionalLong currentTimeMillis() {
    return OptionalLong.empty();
  }

  /**
   * Returns whether a register may be lost or fall back to an older value: a cache, an asynchronous
   * replica. The versions of such a store must not repeat for a name, also not after it was
   * forgotten, or a holder that was forgotten too could overwrite another's register.
   */
  default boolean mayForget() {
    return false;
  }

  /**
   * Returns whether {@link #scan} shows every register whose write was acknowledged before it
   * began, in that or a later state. A watermark then needs one scan; otherwise it reads the
   * register of every worker ID.
   */
  default boolean isScanCurrent() {
    return false;
  }

  /**
   * Returns whether counters may be kept here. A counter that was lost hands numbers out again, so
   * a store that {@linkplain #mayForget() may forget} refuses counters unless they are allowed in
   * its settings. Where such a store has an identity, counters then refuse after each change of it
   * until an operator raises them.
   */
  default boolean allowsCounters() {
    return !mayForget();
  }

  /**
   * Returns the most that one call may take; empty if the store does not know. A lease refuses a
   * store whose calls may take longer than half of its window: a renewal that hangs must end before
   * the window does.
   */
  default Optional<Duration> callTimeout() {
    return Optional.empty();
  }

  /**
   * Releases connections and files. Registers are kept, and a second call has no effect. Any other
   * call afterwards throws an {@link IllegalStateException} if the store has connections.
   */
  @Override
  void close();

  /** Returns the address of this store, without secrets. */
  @Override
  String toString();
}
