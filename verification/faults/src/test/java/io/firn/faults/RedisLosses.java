package io.firn.faults;

import io.firn.testkit.CuttingProxy;
import io.firn.testservers.RedisSentinel;
import io.firn.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Redis servers that lose what they acknowledged. */
final class RedisLosses {

  private RedisLosses() {}

  /** A Redis that is restarted from its newest snapshot. */
  static final class Redis extends HandedOver {

    private final RedisServer server = RedisServer.start();

    Redis(Path directory) {}

    @Override
    public String store() {
      return redis(server.port());
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

  /** A Redis that is by itself. */
  private abstract static class OneRedis implements Scenario {

    final RedisServer server = RedisServer.start();

    @Override
    public String store() {
      return redis(server.port());
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A Redis that is restarted from a snapshot in which every window has ended for a while. */
  static final class OldRedis extends OneRedis {

    OldRedis(Path directory) {}

    @Override
    public double windowShare() {
      return 0.1;
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
  }

  /**
   * A Redis that is flushed; new processes have a window that is a fifth of that of the holders.
   */
  static final class Flushed extends OneRedis {

    Flushed(Path directory) {}

    @Override
    public double windowShare() {
      return 0.5;
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
  }

  /** A replica falls behind, and takes the place and the address of its primary. */
  static class RedisReplica extends HandedOver {

    final RedisServer primary = RedisServer.start();
    final RedisServer replica = RedisServer.startReplicaOf(primary);
    final CuttingProxy address = CuttingProxy.to(primary.address());

    RedisReplica(Path directory) {}

    @Override
    public String store() {
      return redis(address.address().getPort());
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
  static final class SentinelPromoted extends HandedOver {

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
  static final class SplitBrain extends RedisReplica {

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
      String store = redis(later.address().getPort());
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
    RedisClient client = RedisClient.create(redis(server.port()));
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

  private static String redis(int port) {
    return "redis://127.0.0.1:" + port;
  }
}
