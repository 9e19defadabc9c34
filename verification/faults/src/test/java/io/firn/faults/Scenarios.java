package io.firn.faults;

import io.firn.testservers.EtcdServers;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All scenarios, by the name that the table shows. */
final class Scenarios {

  /** The one in which IDs are issued twice: its store promises to keep what it acknowledged. */
  static final String RESIDUE = "File store: directory deleted under running processes";

  private Scenarios() {}

  /** Returns what opens each scenario in a directory of its own. */
  static Map<String, Function<Path, Scenario>> all() {
    Map<String, Function<Path, Scenario>> all = new LinkedHashMap<>();
    all.put("File store: processes stopped past their fence", FileStoreFaults.Stopped::new);
    all.put("File store: processes killed and replaced", FileStoreFaults.Replaced::new);
    all.put(
        "Redis with an append-only file: killed and restarted",
        directory -> {
          RedisServer redis = RedisServer.startDurable();
          return Killed.of(redis, "redis://127.0.0.1:" + redis.port() + "?may-forget=false");
        });
    all.put(
        "PostgreSQL: killed and restarted",
        directory -> {
          PostgresServer server = PostgresServer.start();
          return Killed.of(server, server.jdbcUrl());
        });
    all.put("PostgreSQL: synchronous standby promoted", PostgresPromotions.Promoted::new);
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
          return Killed.of(server, server.jdbcUrl());
        });
    all.put(
        "etcd, three nodes: leader killed",
        directory -> {
          EtcdServers servers = EtcdServers.start(3);
          return new Killed(
              address(servers), () -> servers.restart(servers.killLeader()), servers::close);
        });
    all.put(
        "ZooKeeper, three servers: leader killed",
        directory -> {
          ZooKeeperServers servers = ZooKeeperServers.start(3);
          return new Killed(
              "zookeeper://" + servers.connectString(),
              () -> servers.restart(servers.killLeader()),
              servers::close);
        });
    all.putAll(lossesOfAcknowledgedWrites());
    all.put(RESIDUE, FileStoreFaults.Deleted::new);
    return all;
  }

  private static String address(EtcdServers servers) {
    return servers.endpoints().stream()
        .map(url -> url.substring("http://".length()))
        .collect(Collectors.joining(",", "etcd://", ""));
  }

  /** Returns the names of those in which a store with an identity loses what it acknowledged. */
  static Set<String> losing() {
    return lossesOfAcknowledgedWrites().keySet();
  }

  private static Map<String, Function<Path, Scenario>> lossesOfAcknowledgedWrites() {
    Map<String, Function<Path, Scenario>> all = new LinkedHashMap<>();
    all.put(
        "Redis: restarted from a snapshot of before worker IDs changed hands",
        RedisLosses.Redis::new);
    all.put("Redis: restarted from a snapshot that is four windows old", RedisLosses.OldRedis::new);
    all.put("Redis: flushed, new processes with a fifth of the window", RedisLosses.Flushed::new);
    all.put("Redis: replica that is behind promoted", RedisLosses.RedisReplica::new);
    all.put("Redis: Sentinel promotes a replica that is behind", RedisLosses.SentinelPromoted::new);
    all.put("Redis: replica promoted, primary goes on for a while", RedisLosses.SplitBrain::new);
    all.put(
        "PostgreSQL: asynchronous standby that is behind promoted",
        PostgresPromotions.AsyncPromoted::new);
    return all;
  }
}
