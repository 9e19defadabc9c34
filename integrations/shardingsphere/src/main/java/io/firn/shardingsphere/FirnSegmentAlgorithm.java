package io.firn.shardingsphere;

import io.firn.key.KeyGenerator;
import io.firn.key.KeyProperties;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;

/**
 * The type {@code FIRN_SEGMENT}: dense, growing numbers of a counter in a store.
 *
 * <p>Properties: {@code store}; {@code key}, the name of the counter, which is the table's unless
 * given; {@code step}, how many numbers are fetched at once. Thread-safe.
 */
public final class FirnSegmentAlgorithm implements KeyGenerateAlgorithm {

  private final Map<String, KeyGenerator> byTable = new ConcurrentHashMap<>();
  private Map<String, String> properties = Map.of();

  /** For ShardingSphere, which then calls {@link #init}. */
  public FirnSegmentAlgorithm() {}

  /**
   * Takes the properties. Fetches nothing: ShardingSphere calls it on algorithms that it never
   * uses.
   *
   * @throws IllegalArgumentException if one is unknown, or there is no store
   */
  @Override
  public void init(Properties properties) {
    this.properties = SharedKeys.texts(properties);
    KeyProperties.of(this.properties).allow("store", "key", "step").required("store");
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    return byTable.computeIfAbsent(sql.getTableName(), this::counter).nextKeys(count);
  }

  private KeyGenerator counter(String table) {
    Map<String, String> own = new HashMap<>(properties);
    own.putIfAbsent("key", table);
    return SharedKeys.of("segment", own);
  }

  @Override
  public String getType() {
    return "FIRN_SEGMENT";
  }
}
