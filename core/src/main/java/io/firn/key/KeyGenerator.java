package io.firn.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Issues keys, of a type that is known by its name. Thread-safe.
 *
 * <p>Types of Firn's own: {@code snowflake}, {@code segment}, {@code uuid}, {@code uuid7}, {@code
 * ulid} and {@code objectid}. Others are added with a {@link KeyGeneratorProvider}.
 */
@FunctionalInterface
public interface KeyGenerator extends AutoCloseable {

  /**
   * Issues the next key. Those of Firn's own types are a {@link Long} or a {@link String}, which
   * every database driver takes.
   *
   * @throws io.firn.FirnException if no key can be issued now; the message says why
   */
  Comparable<?> nextKey();

  /**
   * Issues so many keys, in the order of {@link #nextKey}.
   *
   * @param count at least 0
   */
  default List<Comparable<?>> nextKeys(int count) {
    List<Comparable<?>> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(nextKey());
    }
    return keys;
  }

  /** Gives back what the generator holds, as a worker ID. No key is issued afterwards. */
  @Override
  default void close() {}

  /**
   * Starts a generator.
   *
   * <p>{@code snowflake} has the properties {@code layout} ({@code classic} unless given), {@code
   * worker} and {@code datacenter}, {@code store} and {@code namespace} to lease a worker ID,
   * {@code max-wait-millis} and {@code sequence-start} ({@code rotating(2)}) for its manners, and
   * {@code format} for keys that are text; {@code segment} has {@code store}, {@code key}, {@code
   * step} and {@code format}. The other types of Firn's own have none.
   *
   * @throws IllegalArgumentException if there is no such type, or it does not take these properties
   * @throws io.firn.FirnException if the generator cannot be started now; the message says why
   */
  static KeyGenerator open(String type, Map<String, String> properties) {
    return KeyTypes.open(type, properties);
  }

  /**
   * As {@link #open}, but the generator starts, and leases what it leases, when the first key is
   * asked for; a start that fails is that call's failure, and the next call tries again.
   *
   * @throws IllegalArgumentException if there is no such type
   */
  static KeyGenerator onDemand(String type, Map<String, String> properties) {
    return KeyTypes.onDemand(type, properties);
  }

  /** The types that can be opened, Firn's own first. */
  static List<String> types() {
    return KeyTypes.names();
  }
}
