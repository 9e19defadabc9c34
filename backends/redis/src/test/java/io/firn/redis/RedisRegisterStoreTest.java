package io.firn.redis;

import io.firn.lease.RegisterStore;
import io.firn.servers.RedisServer;
import io.firn.testkit.RegisterStoreContract;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisRegisterStoreTest extends RegisterStoreContract {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected RegisterStore open() {
    return open(server.address(), Duration.ofSeconds(10));
  }

  @Override
  protected RegisterStore open(InetSocketAddress address) {
    return open(address, callTimeout());
  }

  private static RegisterStore open(InetSocketAddress address, Duration timeout) {
    return RegisterStore.open(
        "redis://127.0.0.1:" + address.getPort() + "?timeout=" + timeout.toMillis() + "ms");
  }

  @Override
  protected Optional<InetSocketAddress> server() {
    return Optional.of(server.address());
  }

  @Override
  protected Duration callTimeout() {
    return Duration.ofSeconds(1);
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

  @Override
  protected boolean mayForget() {
    return true;
  }

  @Override
  protected void forgetAll() {
    Admin.ask(server, "FLUSHALL");
  }
}
