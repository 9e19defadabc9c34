package io.firn.shardingsphere;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;
import org.apache.shardingsphere.infra.spi.type.typed.TypedSPILoader;
import org.junit.jupiter.api.Test;

/** Measures how evenly keys spread over {@code key % n} at low traffic, beside ShardingSphere's. */
class SkewTest {

  private static final int KEYS = 1_280;
  private static final AlgorithmSQLContext SQL = new AlgorithmSQLContext("db", "public", "t", "id");

  private static long[] oneKeyInAMillisecond(String type, Map<String, Object> properties) {
    Properties given = new Properties();
    given.putAll(properties);
    KeyGenerateAlgorithm algorithm =
        TypedSPILoader.getService(KeyGenerateAlgorithm.class, type, given);
    long[] keys = new long[KEYS];
    long before = 0;
    for (int i = 0; i < KEYS; i++) {
      long now = System.currentTimeMillis();
      while (now == before) {
        Thread.onSpinWait();
        now = System.currentTimeMillis();
      }
      before = now;
      keys[i] = (Long) algorithm.generateKeys(SQL, 1).iterator().next();
    }
    return keys;
  }

  /** The share of the shard that gets most, where 1 is a fair one. */
  private static double worstShare(long[] keys, int shards) {
    int[] count = new int[shards];
    int most = 0;
    for (long key : keys) {
      most = Math.max(most, ++count[(int) (key % shards)]);
    }
    return (double) most * shards / keys.length;
  }

  @Test
  void spreadsEvenlyWhereTheirOwnKeysDoNot() {
    long[] theirs = oneKeyInAMillisecond("SNOWFLAKE", Map.of("worker-id", 17));
    long[] ours = oneKeyInAMillisecond("FIRN_SNOWFLAKE", Map.of("worker-id", 17));
    for (int shards = 2; shards <= 64; shards *= 2) {
      assertThat(worstShare(ours, shards)).as("ours, %s shards", shards).isBetween(1.0, 1.2);
      assertThat(worstShare(theirs, shards))
          .as("theirs, %s shards", shards)
          .isGreaterThan(0.4 * shards);
    }
  }
}
