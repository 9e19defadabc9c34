package io.firn.spring;

import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import io.firn.testkit.ForgettingStoreContract;
import io.firn.testkit.RegisterStoreContract;
import io.firn.testkit.StoreClockContract;
import io.firn.testkit.StoreIdentityContract;
import io.firn.testservers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The contract over the connections of Spring Data Redis, with Lettuce as Spring sets it up. */
final class SpringRedisContractTest extends RegisterStoreContract
    implements StoreClockContract, ForgettingStoreContract, StoreIdentityContract {

  private static RedisServer server;
  private static LettuceConnectionFactory connections;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    connections =
        new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()));
    connections.afterPropertiesSet();
    connections.start();
  }

  @AfterAll
  static void stop() {
    connections.destroy();
    server.close();
  }

  @Override
  protected RegisterStore open() {
    return RedisStore.open(connections, StoreUri.parse("redis:?timeout=10s"));
  }

  @Override
  protected int attemptsPerThread() {
    return 500;
  }

  @Override
  public void forgetAll() {
    try (RedisConnection connection = connections.getConnection()) {
      connection.serverCommands().flushAll();
    }
  }

  @Override
  public void restartStore() {
    server.kill();
    server.restart();
  }
}
