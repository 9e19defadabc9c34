package io.firn.faults;

import io.firn.testkit.CuttingProxy;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.LocalServer;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** All scenarios, by the name that the table shows. */
final class Scenarios {

  private static final int KILLS = 3;

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
