package io.firn.shardingsphere;

import io.firn.key.KeyGenerator;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;

/**
 * The type {@code FIRN_UUID7}: UUIDs of version 7, as 36 characters. They grow, and need neither a
 * store nor a worker ID. No properties. Thread-safe.
 */
public final class FirnUuid7Algorithm implements KeyGenerateAlgorithm {

  private KeyGenerator keys = SharedKeys.of("uuid7", Map.of());

  /** For ShardingSphere, which then calls {@link #init}. */
  public FirnUuid7Algorithm() {}

  /**
   * Takes no properties.
   *
   * @throws IllegalArgumentException if there is one
   */
  @Override
  public void init(Properties properties) {
    keys = SharedKeys.of("uuid7", SharedKeys.texts(properties));
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    return keys.nextKeys(count);
  }

  @Override
  public String getType() {
    return "FIRN_UUID7";
  }
}
