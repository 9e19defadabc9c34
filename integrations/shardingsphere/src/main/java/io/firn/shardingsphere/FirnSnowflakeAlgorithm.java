package io.firn.shardingsphere;

import io.firn.IdLayout;
import io.firn.key.KeyGenerator;
import io.firn.key.KeyProperties;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;

/**
 * The type {@value #TYPE}: 64-bit, time-ordered IDs of a {@link io.firn.Snowflake}, of
 * ShardingSphere's own layout unless another is given.
 *
 * <p>Properties: {@code store} and {@code namespace} to lease a worker ID, or {@code worker-id} to
 * give it (with a store, to take that one and no other), and {@code layout}. Of ShardingSphere's
 * own type also {@code max-vibration-offset} and {@code max-tolerate-time-difference-milliseconds}.
 * Thread-safe.
 */
public final class FirnSnowflakeAlgorithm implements KeyGenerateAlgorithm {

  private static final String TYPE = "FIRN_SNOWFLAKE";

  private static final String WORKER = "worker-id";
  private static final String VIBRATION = "max-vibration-offset";
  private static final String TOLERANCE = "max-tolerate-time-difference-milliseconds";

  private KeyGenerator keys = FirnSnowflakeAlgorithm::refuse;

  /** For ShardingSphere, which then calls {@link #init}. */
  public FirnSnowflakeAlgorithm() {}

  /**
   * Takes the properties. Leases nothing: ShardingSphere calls it on algorithms that it never uses.
   *
   * @throws IllegalArgumentException if one is unknown, or has a value that it cannot have
   */
  @Override
  public void init(Properties properties) {
    keys = SharedKeys.of("snowflake", translated(SharedKeys.texts(properties)));
  }

  private static Map<String, String> translated(Map<String, String> given) {
    KeyProperties properties =
        KeyProperties.of(given).allow("store", "namespace", "layout", WORKER, VIBRATION, TOLERANCE);
    if (properties.text("store").isPresent()) {
      properties.required("namespace");
    }
    Map<String, String> translated = new HashMap<>();
    IdLayout layout = properties.text("layout").map(IdLayout::of).orElse(IdLayout.SHARDINGSPHERE);
    translated.put("layout", layout.toString());
    properties.text("store").ifPresent(store -> translated.put("store", store));
    properties.text("namespace").ifPresent(name -> translated.put("namespace", name));
    properties.number(WORKER).ifPresent(worker -> translated.put("worker", worker.toString()));
    properties
        .number(VIBRATION)
        .ifPresent(most -> translated.put("sequence-start", "rotating(" + (most + 1) + ")"));
    properties
        .number(TOLERANCE)
        .ifPresent(millis -> translated.put("max-wait-millis", millis.toString()));
    return translated;
  }

  private static Comparable<?> refuse() {
    throw new IllegalStateException("algorithm: " + TYPE + " (expected: init() before a key)");
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    return keys.nextKeys(count);
  }

  @Override
  public String getType() {
    return TYPE;
  }
}
