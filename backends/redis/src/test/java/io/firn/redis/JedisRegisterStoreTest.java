package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Namespace;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPooled;

/** The store over a client of your own. */
class JedisRegisterStoreTest {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyVerbWorks() {
    try (JedisPooled jedis = new JedisPooled("127.0.0.1", server.port());
        RegisterStore store = RedisRegisterStore.of(jedis::eval, "verbs");
        RegisterStore lettuce =
            RegisterStore.open("redis://127.0.0.1:" + server.port() + "?timeout=30s&key=verbs")) {
      long version = store.compareAndSet("ä/1", 0, "日本 \ud83d\ude00").version();
      Register written = new Register("ä/1", version, "日本 \ud83d\ude00");

      assertThat(store.compareAndSet("ä/1", 0, "x")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.read("ä/1")).contains(written);
      assertThat(store.readAll(List.of("b", "ä/1"))).containsExactly(written);
      assertThat(store.readAll(List.of())).isEmpty();
      assertThat(store.scan("ä")).containsExactly(written);
      assertThat(store.currentTimeMillis()).isPresent();
      assertThat(store.mayForget()).isTrue();
      assertThat(lettuce.read("ä/1")).contains(written);
    }
  }

  @Test
  void leasesWorkAndTheClientStaysOpen() {
    try (JedisPooled jedis = new JedisPooled("127.0.0.1", server.port())) {
      try (RegisterStore store = RedisRegisterStore.of(jedis::eval, RedisRegisterStore.KEY);
          Snowflake snowflake =
              Snowflake.builder().layout(IdLayout.TWITTER).lease(store, "orders").build()) {
        assertThat(snowflake.nextId()).isPositive();
        assertThat(Namespace.of(store, "orders").workers()).hasSize(1);
      }
      assertThat(jedis.ping()).isEqualTo("PONG");
    }
  }

  @Test
  void refusalOfRedisIsTheReasonOfAFailure() {
    try (RedisServer replica = RedisServer.startReplicaOf(server);
        JedisPooled jedis = new JedisPooled("127.0.0.1", replica.port())) {
      RegisterStore store = RedisRegisterStore.of(jedis::eval, "k");
      assertThat(store.compareAndSet("a", 0, "1")).isEqualTo(WriteResult.UNKNOWN);
      assertThatThrownBy(() -> store.snapshot(List.of()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("READONLY a replica answers");
    }
  }

  @Test
  void emptyKeyIsRefused() {
    RedisRegisterStore.Builder builder =
        RedisRegisterStore.builder((script, keys, args) -> List.of());
    assertThatThrownBy(() -> builder.key(""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("key: (expected: a key that is not empty)");
  }

  @Test
  void clientWithoutATimeoutIsBoundedByTheStore() {
    CountDownLatch never = new CountDownLatch(1);
    RedisEval hanging =
        (script, keys, args) -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return List.of();
        };
    try (RegisterStore store =
        RedisRegisterStore.builder(hanging)
            .timeout(Duration.ofMillis(100))
            .mayForget(false)
            .build()) {
      assertThat(store.mayForget()).isFalse();
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.UNKNOWN);
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no answer in time");
    } finally {
      never.countDown();
    }
  }

  @Test
  void writeCountsWhenItsReplicasAcknowledgedIt() {
    try (JedisPooled jedis = new JedisPooled("127.0.0.1", server.port());
        RegisterStore store =
            RedisRegisterStore.builder(jedis::eval)
                .key("replicated")
                .replicated(
                    (script, keys, args) -> {
                      jedis.eval(script, keys, args);
                      throw new IllegalStateException("0 replicas acknowledged in time");
                    })
                .build()) {
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.UNKNOWN);
    }
  }
}
