package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.FreePort;
import io.firn.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Three primaries, each with a third of the slots, and a replica of the first. */
class RedisClusterTest {

  private static final int PRIMARIES = 3;
  private static final int SLOTS = 16_384;

  private static final List<RedisServer> nodes = new ArrayList<>();
  private static final List<String> ids = new ArrayList<>();

  @BeforeAll
  static void start() {
    for (int i = 0; i <= PRIMARIES; i++) {
      int bus = FreePort.next();
      RedisServer node =
          RedisServer.start(
              "--cluster-enabled",
              "yes",
              "--cluster-port",
              "" + bus,
              "--cluster-node-timeout",
              "1000");
      nodes.add(node);
      ids.add(cluster(node, "MYID"));
      cluster(node, "SET-CONFIG-EPOCH", "" + (i + 1));
      cluster(nodes.get(0), "MEET", "127.0.0.1", "" + node.port(), "" + bus);
    }
    for (int i = 0; i < PRIMARIES; i++) {
      String last = "" + (firstSlot(i + 1) - 1);
      cluster(nodes.get(i), "ADDSLOTSRANGE", "" + firstSlot(i), last);
    }
    for (RedisServer node : nodes) {
      Admin.await("a cluster", () -> isComplete(cluster(node, "INFO")));
    }
    cluster(nodes.get(PRIMARIES), "REPLICATE", ids.get(0));
    for (RedisServer node : nodes) {
      Admin.await("a replica", () -> cluster(node, "NODES").contains("slave " + ids.get(0)));
    }
    Admin.await("a sync", () -> Admin.info(nodes.get(0), "slave0").contains("state=online"));
  }

  private static boolean isComplete(String info) {
    return info.contains("cluster_state:ok")
        && info.contains("cluster_known_nodes:" + (PRIMARIES + 1))
        && info.contains("cluster_slots_ok:" + SLOTS);
  }

  private static String cluster(RedisServer node, String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(arguments));
    return Admin.ask(node, "CLUSTER", all.toArray(String[]::new)).toString();
  }

  private static int firstSlot(int primary) {
    return SLOTS * primary / PRIMARIES;
  }

  @AfterAll
  static void stop() {
    nodes.forEach(RedisServer::close);
  }

  private static int slot(String key) {
    return Integer.parseInt(cluster(nodes.get(0), "KEYSLOT", key));
  }

  /** A key that this primary has. */
  private static String keyOf(int primary) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "registers-" + i)
        .filter(key -> slot(key) >= firstSlot(primary) && slot(key) < firstSlot(primary + 1))
        .findFirst()
        .orElseThrow();
  }

  private static RegisterStore open(String parameters) {
    return open("10s", parameters);
  }

  private static RegisterStore open(String timeout, String parameters) {
    String seeds =
        nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    return RegisterStore.open("redis://" + seeds + "?timeout=" + timeout + "&" + parameters);
  }

  private static String identity(RegisterStore store) {
    return store.snapshot(List.of()).orElseThrow().identity();
  }

  private static long write(RegisterStore store, String name, long expected, String value) {
    WriteResult result = store.compareAndSet(name, expected, value);
    assertThat(result.outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
    return result.version();
  }

  @Test
  void oneSeedIsEnough() {
    try (RegisterStore store =
            RegisterStore.open(
                "redis://127.0.0.1:" + nodes.get(0).port() + "?cluster=true&timeout=15s");
        Snowflake snowflake =
            Snowflake.builder().layout(IdLayout.TWITTER).lease(store, "orders").build()) {
      assertThat(snowflake.nextId()).isPositive();
      assertThat(store.scan("")).hasSizeGreaterThanOrEqualTo(2);
      assertThat(store.currentTimeMillis()).isPresent();
    }
  }

  @Test
  void storeFollowsItsKeyToAnotherNode() {
    String key = keyOf(1);
    String slot = "" + slot(key);
    RedisServer from = nodes.get(1);
    RedisServer to = nodes.get(2);
    try (RegisterStore store = open("key=" + key)) {
      long version = write(store, "a", 0, "1");
      String identity = identity(store);
      Binding before = new Binding(identity, "a", version);
      assertThat(store.compareAndSet("b", 0, "1", before).outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
      cluster(to, "SETSLOT", slot, "IMPORTING", ids.get(1));
      cluster(from, "SETSLOT", slot, "MIGRATING", ids.get(2));
      long still = write(store, "a", version, "2");

      Admin.ask(from, "MIGRATE", "127.0.0.1", "" + to.port(), key, "0", "5000");
      RedisRefusalTest.assertRefuses(store, "ASK " + slot);

      cluster(to, "SETSLOT", slot, "NODE", ids.get(2));
      cluster(from, "SETSLOT", slot, "NODE", ids.get(2));
      Admin.await("that it follows", () -> isRead(store));
      long there = write(store, "a", still, "3");
      assertThat(Admin.ask(to, "HGET", key, "a")).isEqualTo(there + " 3");
      assertThat(identity(store)).as("that of the other node").isNotEqualTo(identity);
      assertThat(store.compareAndSet("c", 0, "1", new Binding(identity, "a", there)))
          .isEqualTo(WriteResult.CONFLICT);
    }
  }

  /** Until the nodes have told each other, they send on to one that does not have the key. */
  private static boolean isRead(RegisterStore store) {
    try {
      return store.read("a").isPresent();
    } catch (StoreException e) {
      return false;
    }
  }

  /** Repeats a call until it is answered: a busy machine connects slowly for a short timeout. */
  private static <T> T firstAnswer(Supplier<T> call) {
    List<T> answer = new ArrayList<>();
    Admin.await(
        "an answer",
        () -> {
          try {
            return answer.add(call.get());
          } catch (StoreException e) {
            return false;
          }
        });
    return answer.get(0);
  }

  @Test
  void replicaOfTheNodeThatHasTheKeyAcknowledgesAndTakesOver() {
    String key = keyOf(0);
    try (RegisterStore one = open("replicas=1&key=" + key);
        RegisterStore two = open("1s", "replicas=2&key=" + key)) {
      long version = write(one, "a", 0, "1");
      assertThat(firstAnswer(() -> two.compareAndSet("b", 0, "1"))).isEqualTo(WriteResult.UNKNOWN);
      Binding before = new Binding(identity(one), "a", version);
      assertThat(firstAnswer(() -> two.read("a"))).contains(new Register("a", version, "1"));

      nodes.get(0).kill();
      RedisServer replica = nodes.get(PRIMARIES);
      Admin.await("promotion", () -> Admin.info(replica, "role").equals("master"));
      nodes.get(0).restart();
      Admin.await("a sync", () -> Admin.info(replica, "connected_slaves").equals("1"));
      Admin.await("that it follows", () -> isRead(one));
      assertThat(one.read("a")).contains(new Register("a", version, "1"));
      assertThat(one.compareAndSet("c", 0, "1", before)).isEqualTo(WriteResult.CONFLICT);
    }
  }
}
