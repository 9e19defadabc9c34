package io.firn.shardingsphere;

import io.firn.IdGenerator;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * The type {@value #TYPE}: dense, growing numbers of a counter in a store.
 *
 * <p>Properties: {@code store}; {@code key}, the name of the counter, which is the table's unless
 * given; {@code step}, how many numbers are fetched at once. ShardingSphere compares the names of
 * tables without case, and so a table has one counter: the one that is there in whatever case, or a
 * new one in lower case. Thread-safe.
 */
public final class FirnSegmentAlgorithm implements KeyGenerateAlgorithm {

  private static final String TYPE = "FIRN_SEGMENT";

  private String store = "";
  private @Nullable String key;
  private @Nullable Long step;

  /** Creates an instance for ShardingSphere, which then calls {@link #init}. */
  public FirnSegmentAlgorithm() {}

  /**
   * Takes the properties. Fetches nothing: ShardingSphere calls it on algorithms that it never
   * uses.
   *
   * @throws IllegalArgumentException if one is unknown or has a value that it cannot have, or there
   *     is no store
   */
  @Override
  public void init(Properties properties) {
    AlgorithmProperties given = AlgorithmProperties.of(properties, List.of("store", "key", "step"));
    store = given.required("store");
    key = given.text("key");
    step = given.number("step");
    SharedGenerators.checkCounted(store, key, step);
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    IdGenerator counter =
        key == null
            ? SharedGenerators.countedTable(store, sql.getTableName(), step)
            : SharedGenerators.counted(store, key, step);
    return SharedGenerators.nextKeys(counter, count);
  }

  @Override
  public String getType() {
    return TYPE;
  }
}
