package io.firn.zookeeper;

import io.firn.store.RegisterStore;
import io.firn.testkit.RemoteRegisterStoreContract;
import io.firn.testservers.ZooKeeperServers;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ZooKeeperRegisterStoreTest extends RemoteRegisterStoreContract {

  private static ZooKeeperServers servers;

  @BeforeAll
  static void start() {
    servers = ZooKeeperServers.start(1);
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @Override
  protected RegisterStore open() {
    return RegisterStore.open(
        "zookeeper://127.0.0.1:" + servers.address(0).getPort() + "?timeout=10s");
  }

  @Override
  protected RegisterStore open(InetSocketAddress server) {
    return RegisterStore.open("zookeeper://127.0.0.1:" + server.getPort() + "?timeout=1s");
  }

  @Override
  protected InetSocketAddress server() {
    return servers.address(0);
  }

  @Override
  protected Duration callTimeout() {
    return Duration.ofSeconds(1);
  }

  @Override
  protected void killAndRestart() {
    servers.kill(0);
    servers.restart(0);
  }

  @Override
  protected int attemptsPerThread() {
    return 500;
  }
}
