package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.CuttingProxy;
import io.firn.testservers.IssuingFleet;
import io.firn.testservers.RedisSentinel;
import io.firn.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** No ID twice, whatever Redis forgets. Most of it is waiting. */
@Execution(ExecutionMode.CONCURRENT)
class RedisLeaseTest {

  private static final Duration WINDOW = Duration.ofMillis(600);
  private static final Duration TWO_WINDOWS = WINDOW.multipliedBy(2);
  private static final String SHORT = "timeout=300ms";

  @BeforeAll
  static void warmUp() {
    Admin.loadLettuce();
  }

  private static String address(RedisServer server, String parameters) {
    return "redis://127.0.0.1:" + server.port() + "?" + parameters;
  }

  @Test
  void noIdTwiceWhereEverythingIsFlushed() {
    try (RedisServer server = RedisServer.start();
        IssuingFleet fleet =
            new IssuingFleet(() -> RegisterStore.open(address(server, SHORT)), WINDOW)) {
      fleet.start(4);
      fleet.run(TWO_WINDOWS);
      Admin.ask(server, "FLUSHALL");
      fleet.start(4);
      fleet.run(TWO_WINDOWS);
      fleet.endWithoutDuplicates();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void restartWhileRedisIsDownIssuesTheRestOfTheWindow(@TempDir Path directory) {
    Path file = directory.resolve("rest");
    try (RedisServer server = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(server, "may-forget=false&timeout=10s"))) {
      long id;
      long worker;
      try (Snowflake first = carryingOver(store, file)) {
        id = first.nextId();
        worker = first.leaseStatus().orElseThrow().worker();
        server.kill();
      }
      try (Snowflake second = carryingOver(store, file)) {
        assertThat(second.nextId()).isGreaterThan(id);
        assertThat(second.leaseStatus().orElseThrow().worker()).isEqualTo(worker);
      }
      assertThatThrownBy(() -> carryingOver(store, file))
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith("it does not exist, or another process has taken it");
    }
  }

  private static Snowflake carryingOver(RegisterStore store, Path file) {
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders").window(Duration.ofHours(1)).carryOver(file).build();
    return Snowflake.builder().lease(lease).build();
  }

  @Test
  void noIdTwiceWhereRedisIsRestartedWithoutItsData() {
    try (RedisServer server = RedisServer.start();
        IssuingFleet fleet =
            new IssuingFleet(() -> RegisterStore.open(address(server, SHORT)), WINDOW)) {
      fleet.start(4);
      fleet.run(TWO_WINDOWS);
      server.kill();
      server.restart();
      fleet.start(4);
      fleet.run(TWO_WINDOWS);
      fleet.endWithoutDuplicates();
    }
  }

  @Test
  void noIdTwiceWhereRedisFallsBackByMoreThanAWindow() {
    Duration window = Duration.ofSeconds(2);
    try (RedisServer server = RedisServer.start();
        IssuingFleet fleet =
            new IssuingFleet(() -> RegisterStore.open(address(server, SHORT)), window)) {
      fleet.start(4);
      fleet.run(window.dividedBy(2));
      Admin.ask(server, "SAVE");
      fleet.run(window.multipliedBy(3).dividedBy(2));
      server.kill();
      server.restart();
      assertThat(Admin.ask(server, "HLEN", RedisRegisterStore.KEY)).isNotEqualTo(0L);
      fleet.start(4);
      fleet.run(window.multipliedBy(2));
      fleet.endWithoutDuplicates();
    }
  }

  @Test
  void noIdTwiceWhereSentinelPromotesTheReplicaOfAKilledPrimary() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        RedisSentinel sentinel = RedisSentinel.start("orders", primary);
        IssuingFleet fleet =
            new IssuingFleet(() -> RegisterStore.open(address(sentinel, SHORT)), WINDOW)) {
      fleet.start(4);
      fleet.run(TWO_WINDOWS);
      primary.kill();
      fleet.start(4);
      sentinel.awaitPromotion();
      fleet.run(TWO_WINDOWS);
      fleet.endWithoutDuplicates();
      assertThat(Admin.info(replica, "role")).isEqualTo("master");
    }
  }

  private static String address(RedisSentinel sentinel, String parameters) {
    return "redis-sentinel://127.0.0.1:" + sentinel.port() + "/orders?" + parameters;
  }

  @Test
  void failoverLosesNothingThatTheReplicaAcknowledged() {
    try (RedisServer primary = RedisServer.start();
        CuttingProxy link = CuttingProxy.to(primary.address());
        RedisServer replica =
            RedisServer.start("--replicaof", "127.0.0.1 " + link.address().getPort())) {
      Admin.await("the first sync", () -> Admin.info(replica, "master_link_status").equals("up"));
      link.delay(Duration.ofMillis(20));
      try (RedisSentinel sentinel = RedisSentinel.start("orders", primary);
          RegisterStore store =
              RegisterStore.open(address(sentinel, "timeout=2s&replicas=1&may-forget=false"))) {
        Map<String, Long> acknowledged = new HashMap<>();
        for (int i = 0; i < 15; i++) {
          write(store, "a" + i % 5, acknowledged);
        }
        link.refuse();
        write(store, "a0", acknowledged);
        write(store, "a1", acknowledged);
        primary.kill();
        sentinel.awaitPromotion();

        try (RegisterStore later = RegisterStore.open("redis://127.0.0.1:" + replica.port())) {
          assertThat(acknowledged).hasSize(5);
          acknowledged.forEach(
              (name, version) ->
                  assertThat(later.read(name).orElseThrow().version())
                      .as(name)
                      .isGreaterThanOrEqualTo(version));
        }
      }
    }
  }

  private static void write(RegisterStore store, String name, Map<String, Long> acknowledged) {
    try {
      long version = store.read(name).map(Register::version).orElse(0L);
      WriteResult result = store.compareAndSet(name, version, "after " + version);
      if (result.outcome() == Outcome.APPLIED) {
        acknowledged.put(name, result.version());
      }
    } catch (StoreException e) {
      // not acknowledged
    }
  }

  /** Returns the version of a first write, once one is acknowledged: a busy machine is slow. */
  private static long firstWrite(RegisterStore store) {
    Map<String, Long> acknowledged = new HashMap<>();
    Admin.await(
        "an acknowledged write",
        () -> {
          write(store, "a", acknowledged);
          return !acknowledged.isEmpty();
        });
    return acknowledged.get("a");
  }

  @Test
  void windowThatNoReplicaAcknowledgedIsNotLeased() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        RegisterStore store = RegisterStore.open(address(primary, "timeout=2s&replicas=1"))) {
      long version = firstWrite(store);
      replica.pause();

      assertThat(store.compareAndSet("a", version, "2")).isEqualTo(WriteResult.UNKNOWN);
      assertThat(store.read("a").map(Register::value)).contains("2");
      assertThatThrownBy(
              () -> Snowflake.builder().layout(IdLayout.TWITTER).lease(store, "orders").build())
          .isInstanceOf(StoreException.class);

      replica.resume();
      Admin.await("an acknowledged write", () -> isWritten(store, "a"));
    }
  }

  private static boolean isWritten(RegisterStore store, String name) {
    long version = store.read(name).orElseThrow().version();
    return store.compareAndSet(name, version, "3").outcome() == Outcome.APPLIED;
  }

  @Test
  void readNeedsNoReplicaAndWritesNothing() {
    try (RedisServer primary = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(primary, "timeout=5s&replicas=1"))) {
      assertThat(store.compareAndSet("a", 0, "1")).isEqualTo(WriteResult.UNKNOWN);
      String writes = Admin.info(primary, "rdb_changes_since_last_save");

      assertThat(store.read("a").map(Register::value)).contains("1");

      assertThat(Admin.info(primary, "rdb_changes_since_last_save")).isEqualTo(writes);
    }
  }
}
