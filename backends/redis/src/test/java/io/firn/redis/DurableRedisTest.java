package io.firn.redis;

import io.firn.lease.RegisterStore;
import io.firn.servers.RedisServer;
import io.firn.testkit.RegisterStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Redis that writes to the disk before it answers. */
class DurableRedisTest extends RegisterStoreContract {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.startDurable();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected RegisterStore open() {
    return RegisterStore.open(
        "redis://127.0.0.1:" + server.port() + "?may-forget=false&timeout=10s");
  }

  @Override
  protected int attemptsPerThread() {
    return 500;
  }

  @Override
  protected boolean restarts() {
    return true;
  }

  @Override
  protected void killAndRestart() {
    server.kill();
    server.restart();
  }

  @Override
  protected boolean hasClock() {
    return true;
  }
}
