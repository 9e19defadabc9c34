package io.firn.shardingsphere;

import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;

/**
 * The type {@code FIRN_UUID7}: UUIDs of version 7, as 36 characters. They grow, and need neither a
 * store nor a worker ID. No properties. Thread-safe.
 */
public final class FirnUuid7Algorithm implements KeyGenerateAlgorithm {

  private final WideIdGenerator<UUID> ids = Uuids.v7();

  /** Creates an instance for ShardingSphere, which then calls {@link #init}. */
  public FirnUuid7Algorithm() {}

  /**
   * Takes no properties.
   *
   * @throws IllegalArgumentException if there is one
   */
  @Override
  public void init(Properties properties) {
    AlgorithmProperties.of(properties, List.of());
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    return Stream.generate(() -> ids.nextId().toString()).limit(count).toList();
  }

  @Override
  public String getType() {
    return "FIRN_UUID7";
  }
}
