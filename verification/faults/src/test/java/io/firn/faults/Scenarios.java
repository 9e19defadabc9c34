package io.firn.faults;

import io.firn.testkit.CuttingProxy;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.LocalServer;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** All scenarios, by the name that the table shows. */
final class Scenarios {

  private static final int KILLS = 3;

  /** From this part of a run on, writes are lost: more than a settling time after the first. */
  private static final double SAVED = 0.3;

  /** The store is lost at this part of a run, more than a window later. */
  private static final double LOST = 0.55;

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
        "Redis with snapshots alone: restarted from an old one", directory -> new Redis("SAVE"));
    all.put("Redis: flushed", directory -> new Redis("FLUSHALL"));
    all.put("Redis: replica that is behind promoted", RedisReplica::new);
    all.put(
        "PostgreSQL: killed and restarted",
        directory -> {
          PostgresServer server = PostgresServer.start();
          return new Killed(server, server.jdbcUrl());
        });
    all.put("PostgreSQL: synchronous standby promoted", Promoted::new);
    all.put("PostgreSQL: asynchronous standby that is behind promoted", AsyncPromoted::new);
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

  /** A Redis that is saved and later restarted, or flushed; then more processes come. */
  private static final class Redis implements Scenario {

    private final RedisServer server = RedisServer.start();
    private final String command;

    Redis(String command) {
      this.command = command;
    }

    @Override
    public String store() {
      return "redis://127.0.0.1:" + server.port();
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(SAVED);
      ask(server, command);
      if (command.equals("SAVE")) {
        stage.awaitShare(LOST);
        server.kill();
        server.restart();
      }
      fleet.launch(fleet.size());
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A replica hangs, and takes the place and the address of its primary. */
  private static final class RedisReplica implements Scenario {

    private final RedisServer primary = RedisServer.start();
    private final RedisServer replica = RedisServer.startReplicaOf(primary);
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    RedisReplica(Path directory) {}

    @Override
    public String store() {
      return "redis://127.0.0.1:" + address.address().getPort();
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(SAVED);
      ask(replica, "REPLICAOF NO ONE"); // goes on with what it has until now
      stage.awaitShare(LOST);
      primary.kill();
      address.moveTo(replica.address());
      fleet.launch(fleet.size());
      stage.awaitShare(1);
    }

    @Override
    public void close() {
      try (primary;
          replica) {
        address.close();
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

  /** The standby hangs, commits do not wait for it, and it takes the place of the primary. */
  private static final class AsyncPromoted implements Scenario {

    private final PostgresServer primary = PostgresServer.start();
    private final PostgresServer standby = PostgresServer.startStandbyOf(primary, "s1");
    private final CuttingProxy address = CuttingProxy.to(primary.address());

    AsyncPromoted(Path directory) {}

    @Override
    public String store() {
      return primary.jdbcUrl(address.address()) + "&may-forget=true";
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(SAVED);
      standby.pause();
      stage.awaitShare(LOST);
      primary.kill();
      standby.resume();
      standby.promote();
      address.moveTo(standby.address());
      fleet.launch(fleet.size());
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
