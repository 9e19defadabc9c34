package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Sentinel of Redis 7.0 that decides alone: it promotes a replica when the primary has been
 * silent for half a second.
 */
public final class RedisSentinel extends ServerProcess {

  private final Path config = directory().resolve("sentinel.conf");

  private RedisSentinel(String name, RedisServer primary) {
    super("redis-sentinel", "+monitor master", "KILL");
    String monitor = "sentinel monitor " + name + " 127.0.0.1 " + primary.port() + " 1";
    String silence = "sentinel down-after-milliseconds " + name + " 500";
    // A failover that was begun in vain is begun again after twice that.
    String pause = "sentinel failover-timeout " + name + " 5000";
    try {
      Files.write(config, List.of("bind 127.0.0.1", "port " + port(), monitor, silence, pause));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts one and waits until it knows a replica of the primary, of which there must be one.
   *
   * @param name what it calls the primary
   */
  public static RedisSentinel start(String name, RedisServer primary) {
    RedisSentinel sentinel = new RedisSentinel(name, primary);
    sentinel.orClosed(
        () -> {
          sentinel.restart();
          sentinel.awaitOutput("+slave slave");
        });
    return sentinel;
  }

  /** Waits until it has promoted a replica since it was started. */
  public void awaitPromotion() {
    awaitOutput("+switch-master");
  }

  @Override
  List<String> command() {
    return List.of(Binaries.redis().toString(), config.toString(), "--sentinel");
  }
}
