package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisSentinelTest {

  @Test
  void promotesTheReplicaOfAPrimaryThatWasKilled() throws Exception {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        RedisSentinel sentinel = RedisSentinel.start("orders", primary)) {
      assertThat(RedisClient.ask(replica.address(), "SET a 1")).startsWith("-READONLY");

      primary.kill();
      sentinel.awaitPromotion();

      assertThat(RedisClient.ask(replica.address(), "SET a 1")).isEqualTo("+OK");
    }
  }

  @Test
  void leavesNothingBehindAndStartsAgain() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary)) {
      RedisSentinel sentinel = RedisSentinel.start("orders", primary);
      sentinel.kill();
      sentinel.restart();
      Traces traces = Traces.of(sentinel);
      sentinel.close();
      traces.assertGone();
      assertThat(replica.port()).isNotEqualTo(primary.port());
    }
  }
}
