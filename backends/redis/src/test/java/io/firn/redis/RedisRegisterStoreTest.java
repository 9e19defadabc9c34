package io.firn.redis;

import io.firn.store.RegisterStore;
import io.firn.testkit.ForgettingStoreContract;
import io.firn.testkit.RemoteRegisterStoreContract;
import io.firn.testkit.StoreClockContract;
import io.firn.testkit.StoreIdentityContract;
import io.firn.testservers.RedisServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisRegisterStoreTest extends RemoteRegisterStoreContract
    implements StoreClockContract, ForgettingStoreContract, StoreIdentityContract {

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
  protected InetSocketAddress server() {
    return server.address();
  }

  @Override
  protected Duration callTimeout() {
    return Duration.ofSeconds(1);
  }

  @Override
  protected void killAndRestart() {
    server.kill();
    server.restart();
  }

  @Override
  public void restartStore() {
    killAndRestart();
  }

  @Override
  public void forgetAll() {
    Admin.ask(server, "FLUSHALL");
  }
}
