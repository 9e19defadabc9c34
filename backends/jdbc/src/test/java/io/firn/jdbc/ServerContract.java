package io.firn.jdbc;

import io.firn.store.RegisterStore;
import io.firn.testkit.RemoteRegisterStoreContract;
import io.firn.testkit.StoreClockContract;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The contract, against a server that forces each commit to the disk and is killed in between. */
abstract class ServerContract extends RemoteRegisterStoreContract implements StoreClockContract {

  private final TestDatabase database;

  ServerContract(TestDatabase database) {
    this.database = database;
  }

  @Override
  protected RegisterStore open() {
    return database.open("timeout=10s");
  }

  @Override
  protected InetSocketAddress server() {
    return database.server().address();
  }

  @Override
  protected RegisterStore open(InetSocketAddress address) {
    return RegisterStore.open(database.url(address) + "&timeout=2s");
  }

  @Override
  protected Duration callTimeout() {
    return Duration.ofSeconds(2);
  }

  @Override
  protected void killAndRestart() {
    database.server().kill();
    database.server().restart();
  }

  @Override
  protected int attemptsPerThread() {
    return 200;
  }
}
