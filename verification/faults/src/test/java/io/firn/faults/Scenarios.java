package io.firn.faults;

import io.firn.testkit.CuttingProxy;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.LocalServer;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisSentinel;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** All scenarios, by the name that the table shows. */
final class Scenarios {

  private static final int KILLS = 3;

  /** The one in which IDs are issued twice: its store promises to keep what it acknowledged. */
  static final String RESIDUE = "File store: directory deleted under running processes";

  private Scenarios() {}

  /** Returns what opens each scenario in a directory of its own. */
  static Map<String, Function<Path, Scenario>> all() {
    Map<String, Function<Path, Scenario>> all = new LinkedHashMap<>();
    all.put("File store: processes stopped past their fence", Stopped::new);
    all.put("File store: processes killed and replaced", Replaced::new);
    all.put(
        "Redis with an append-only file: killed and restarted",
        directory -> {
          RedisServer redis = RedisServer.startDurable();
          return new Killed(redis, "redis://127.0.0.1:" + redis.port() + "?may-forget=false");
        });
    all.put(
        "PostgreSQL: killed and restarted",
        directory -> {
          PostgresServer server = PostgresServer.start();
          return new Killed(server, server.jdbcUrl());
        });
    all.put("PostgreSQL: synchronous standby promoted", Promoted::new);
    all.put(
        "PostgreSQL: stopped for a window and a half",
        directory -> {
          PostgresServer server = PostgresServer.start();
          return new Hung(server, server.jdbcUrl());
        });
    all.put(
        "MariaDB without a binary log: killed and restarted",
        directory -> {
          MariaDbServer server = MariaDbServer.start();
          return new Killed(server, server.jdbcUrl());
        });
    all.put("etcd, three nodes: leader killed", EtcdLeader::new);
    all.put("ZooKeeper, three servers: leader killed", ZooKeeperLeader::new);
    all.putAll(lossesOfAcknowledgedWrites());
    all.put(RESIDUE, Deleted::new);
    return all;
  }

  /** Returns the names of those in which a store with an identity loses what it acknowledged. */
  static Set<String> losing() {
    return lossesOfAcknowledgedWrites().keySet();
  }

  private static Map<String, Function<Path, Scenario>> lossesOfAcknowledgedWrites() {
    Map<String, Function<Path, Scenario>> all = new LinkedHashMap<>();
    all.put("Redis: restarted from a snapshot of before worker IDs changed hands", Redis::new);
    all.put("Redis: restarted from a snapshot that is four windows old", OldRedis::new);
    all.put("Redis: flushed, newcomers with a fifth of the window", Flushed::new);
    all.put("Redis: replica that is behind promoted", RedisReplica::new);
    all.put("Redis: Sentinel promotes a replica that is behind", SentinelPromoted::new);
    all.put("Redis: replica promoted, primary goes on for a while", SplitBrain::new);
    all.put("PostgreSQL: asynchronous standby that is behind promoted", AsyncPromoted::new);
    return all;
  }

  /** A server that is killed and restarted. */
  private record Killed(LocalServer server, String store) implements Scenario {

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 1; i <= KILLS; i++) {
        stage.awaitShare((double) i / (KILLS + 1));
        server.kill();
        server.restart();
      }
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /**
   * A store that loses writes just after worker IDs changed hands: half of the processes end, the
   * state of then is kept, others take their worker IDs, and the store goes back to that state.
   * More processes are there by then and take what seems free.
   */
  private abstract static class HandedOver implements Scenario {

    /** For processes to start. */
    private static final double STARTED = 0.15;

    /** Those that take over have IDs by then, and renew later. */
    private static final double HANDED_OVER = 0.05;

    @Override
    public double windowShare() {
      return 0.4;
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    /** More than a settling time after the first mark. */
    double saved() {
      return windowShare() + splitShare() + 0.05;
    }

    abstract void save();

    /** Loses what was written since it was saved. */
    abstract void lose();

    /** Starts processes that find no free worker ID before writes are lost. */
    void launch(Fleet fleet, int count) {
      fleet.launch(count);
    }

    @Override
    public final void play(Stage stage, Fleet fleet) {
      stage.awaitShare(saved() - STARTED);
      int all = fleet.size();
      int half = (all + 1) / 2;
      fleet.launch(half);
      launch(fleet, all);
      stage.awaitShare(saved());
      signal(fleet, all, fleet.size(), "STOP");
      fleet.retire(half);
      save();
      signal(fleet, all - half, all, "CONT");
      stage.pass(HANDED_OVER);
      lose();
      signal(fleet, all, fleet.size(), "CONT");
      stage.pass(splitShare());
      end();
      stage.awaitShare(1);
    }

    private static void signal(Fleet fleet, int from, int to, String name) {
      for (int i = from; i < to; i++) {
        fleet.signal(i, name);
      }
    }

    /** Ends what went on beside the new store. */
    void end() {}
  }

  /** A Redis that is restarted from its newest snapshot. */
  private static final class Redis extends HandedOver {

    private final RedisServer server = RedisServer.start();

    Redis(Path directory) {}

    @Override
    public String store() {
      return "redis://127.0.0.1:" + server.port();
    }

    @Override
    void save() {
      ask(server, "SAVE");
    }

    @Override
    void lose() {
      server.kill();
      server.restart();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A Redis that is restarted from a snapshot in which every window has ended for a while. */
  private static final class OldRedis implements Scenario {

    private final RedisServer server = RedisServer.start();

    OldRedis(Path directory) {}

    @Override
    public String store() {
      return "redis://127.0.0.1:" + server.port();
    }

    @Override
    public double windowShare() {
      return 0.1;
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(0.2);
      ask(server, "SAVE");
      stage.awaitShare(0.6);
      fleet.launch(fleet.size());
      stage.awaitShare(0.7);
      server.kill();
      server.restart();
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A Redis that is flushed; newcomers have a window that is a fifth of that of the holders. */
  private static final class Flushed implements Scenario {

    private final RedisServer server = RedisServer.start();

    Flushed(Path directory) {}

    @Override
    public String store() {
      return "redis://127.0.0.1:" + server.port();
    }

    @Override
    public double windowShare() {
      return 0.5;
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      Duration shorter = fleet.window().dividedBy(5);
      stage.awaitShare(0.45);
      fleet.launch(fleet.size(), ScenarioRun.limited(store(), shorter), shorter);
      stage.awaitShare(0.55);
      ask(server, "FLUSHALL");
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A replica falls behind, and takes the place and the address of its primary. */
  private static class RedisReplica extends HandedOver {

    final RedisServer primary = RedisServer.start();
    final RedisServer replica = RedisServer.startReplicaOf(primary);
    final CuttingProxy address = CuttingProxy.to(primary.address());

    RedisReplica(Path directory) {}

    @Override
    public String store() {
      return "redis://127.0.0.1:" + address.address().getPort();
    }

    @Override
    void save() {
      ask(replica, "REPLICAOF NO ONE"); // continues with what it has until now
    }

    @Override
    void lose() {
      primary.kill();
      address.moveTo(replica.address());
    }

    @Override
    public void close() {
      try (primary;
          replica) {
        address.close();
      }
    }
  }

  /** A replica is cut off from its primary; Sentinel promotes it when the primary has ended. */
  private static final class SentinelPromoted extends HandedOver {

    private static final String NAME = "orders";

    private final RedisServer primary = RedisServer.start();
    private final CuttingProxy link = CuttingProxy.to(primary.address());
    private final RedisServer replica = RedisServer.startReplicaOf(link.address());
    private final RedisSentinel sentinel = RedisSentinel.start(NAME, primary);

    SentinelPromoted(Path directory) {}

    @Override
    public String store() {
      return "redis-sentinel://127.0.0.1:" + sentinel.port() + "/" + NAME;
    }

    @Override
    void save() {
      link.refuse();
    }

    @Override
    void lose() {
      primary.kill();
      sentinel.awaitPromotion();
    }

    @Override
    public void close() {
      try (primary;
          replica;
          sentinel) {
        link.close();
      }
    }
  }

  /** A replica takes over for those who come later, while the primary continues for the others. */
  private static final class SplitBrain extends RedisReplica {

    private final CuttingProxy later = CuttingProxy.to(primary.address());

    SplitBrain(Path directory) {
      super(directory);
    }

    @Override
    public double windowShare() {
      return 0.3;
    }

    @Override
    public double splitShare() {
      return 0.15;
    }

    @Override
    void launch(Fleet fleet, int count) {
      String store = "redis://127.0.0.1:" + later.address().getPort();
      fleet.launch(count, ScenarioRun.limited(store, fleet.window()), fleet.window());
    }

    @Override
    void lose() {
      later.moveTo(replica.address());
    }

    @Override
    void end() {
      super.lose();
    }

    @Override
    public void close() {
      try (later) {
        super.close();
      }
    }
  }

  private static void ask(RedisServer server, String command) {
    RedisClient client = RedisClient.create("redis://127.0.0.1:" + server.port());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisCommands<String, String> commands = connection.sync();
      switch (command) {
        case "SAVE" -> commands.save();
        case "FLUSHALL" -> commands.flushall();
        default -> commands.replicaofNoOne();
      }
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  /** The standby is cut off, commits do not wait for it, and it takes the place of the primary. */
  private static final class AsyncPromoted extends HandedOver {

    private final PostgresServer primary = PostgresServer.start();
    private final PostgresServer standby = PostgresServer.startStandbyOf(primary, "s1");
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    AsyncPromoted(Path directory) {}

    @Override
    public String store() {
      return primary.jdbcUrl(address.address()) + "&may-forget=true";
    }

    /** A standby that hangs has what is in its socket. */
    @Override
    void save() {
      standby.kill();
    }

    @Override
    void lose() {
      primary.kill();
      standby.restart();
      standby.promote();
      address.moveTo(standby.address());
    }

    @Override
    public void close() {
      try (primary;
          standby) {
        address.close();
      }
    }
  }

  /** The directory is deleted under running processes, and new ones make it again. */
  private record Deleted(Path directory) implements Scenario {

    @Override
    public String store() {
      return "file:" + directory.resolve("store");
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(0.5);
      try {
        Files.move(directory.resolve("store"), directory.resolve("gone"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      fleet.launch(fleet.size());
      stage.awaitShare(1);
    }

    @Override
    public void close() {}
  }

  /** A server that hangs for a window and a half. */
  private record Hung(LocalServer server, String store) implements Scenario {

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(0.3);
      server.pause();
      stage.awaitShare(0.3 + 1.5 * windowShare());
      server.resume();
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private record Stopped(Path directory) implements Scenario {

    @Override
    public String store() {
      return "file:" + directory.resolve("store");
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 0; i < KILLS; i++) {
        stage.awaitShare(0.1 + 0.25 * i);
        fleet.signal(i, "STOP");
        stage.awaitShare(0.1 + 0.25 * i + 1.5 * windowShare());
        fleet.signal(i, "CONT");
      }
      stage.awaitShare(1);
    }

    @Override
    public void close() {}
  }

  private record Replaced(Path directory) implements Scenario {

    @Override
    public String store() {
      return "file:" + directory.resolve("store");
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 0; i < fleet.size(); i++) {
        stage.awaitShare((double) i / fleet.size());
        fleet.replace(i);
      }
      stage.awaitShare(1);
    }

    @Override
    public void close() {}
  }

  /**
   * The standby is lost first, so that commits wait for it, those of renewals too. A restart of the
   * primary makes them visible although the standby never got them. Then the primary is lost, the
   * standby takes its place and its address, and more processes take the worker IDs whose windows,
   * as far as the standby knows, have ended.
   */
  private static final class Promoted implements Scenario {

    private static final String NAME = "s1";
    private static final double WINDOW = 0.3;
    private static final double STANDBY_LOST = 0.15;

    /** Every holder has tried to renew by then. */
    private static final double PRIMARY_RESTARTED = STANDBY_LOST + 0.55 * WINDOW;

    /** Every holder has read its register by then. */
    private static final double VISIBLE = 0.15 * WINDOW;

    /** Most windows that the standby knows of have ended by then. */
    private static final double STANDBY_BACK = STANDBY_LOST + 0.85 * WINDOW;

    private final PostgresServer primary =
        PostgresServer.start("-c", "synchronous_standby_names=" + NAME);
    private final PostgresServer standby = PostgresServer.startStandbyOf(primary, NAME);
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    Promoted(Path directory) {}

    @Override
    public String store() {
      return primary.jdbcUrl(address.address());
    }

    @Override
    public double windowShare() {
      return WINDOW;
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(STANDBY_LOST);
      standby.pause();
      stage.awaitShare(PRIMARY_RESTARTED);
      primary.kill();
      primary.restart();
      fleet.launch(fleet.size());
      stage.pass(VISIBLE);
      primary.kill();
      stage.awaitShare(STANDBY_BACK);
      standby.resume();
      standby.promote();
      address.moveTo(standby.address());
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      try (primary;
          standby) {
        address.close();
      }
    }
  }

  private static final class EtcdLeader implements Scenario {

    private final EtcdServers servers = EtcdServers.start(3);

    EtcdLeader(Path directory) {}

    @Override
    public String store() {
      return servers.endpoints().stream()
          .map(url -> url.substring("http://".length()))
          .collect(java.util.stream.Collectors.joining(",", "etcd://", ""));
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 1; i <= KILLS; i++) {
        stage.awaitShare((double) i / (KILLS + 1));
        servers.restart(servers.killLeader());
      }
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      servers.close();
    }
  }

  private static final class ZooKeeperLeader implements Scenario {

    private final ZooKeeperServers servers = ZooKeeperServers.start(3);

    ZooKeeperLeader(Path directory) {}

    @Override
    public String store() {
      return "zookeeper://" + servers.connectString();
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 1; i <= KILLS; i++) {
        stage.awaitShare((double) i / (KILLS + 1));
        servers.restart(servers.killLeader());
      }
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      servers.close();
    }
  }
}
