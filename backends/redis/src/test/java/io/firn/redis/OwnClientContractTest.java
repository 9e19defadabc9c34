package io.firn.redis;

import io.firn.store.RegisterStore;
import io.firn.testkit.ForgettingStoreContract;
import io.firn.testkit.RegisterStoreContract;
import io.firn.testkit.StoreClockContract;
import io.firn.testkit.StoreIdentityContract;
import io.firn.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.JedisPooled;

/** The contract over a client of the application's own. */
class OwnClientContractTest extends RegisterStoreContract
    implements StoreClockContract, ForgettingStoreContract, StoreIdentityContract {

  private static final List<JedisPooled> CLIENTS = new ArrayList<>();
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    CLIENTS.forEach(JedisPooled::close);
    server.close();
  }

  @Override
  protected RegisterStore open() {
    JedisPooled client = new JedisPooled("127.0.0.1", server.port());
    CLIENTS.add(client);
    return RedisRegisterStore.builder(client::eval).timeout(Duration.ofSeconds(10)).build();
  }

  @Override
  protected int attemptsPerThread() {
    return 500;
  }

  @Override
  public void forgetAll() {
    Admin.ask(server, "FLUSHALL");
  }

  @Override
  public void restartStore() {
    server.kill();
    server.restart();
  }
}
