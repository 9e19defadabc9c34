package io.firn.jdbc;

import io.firn.lease.RegisterStore;
import io.firn.testkit.RegisterStoreContract;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** The contract, against a server that forces each commit to the disk and is killed in between. */
abstract class ServerContract extends RegisterStoreContract {

  private final TestDatabase database;

  ServerContract(TestDatabase database) {
    this.database = database;
  }

  @Override
  protected RegisterStore open() {
    return open(database.server().address());
  }

  @Override
  protected Optional<InetSocketAddress> server() {
    return Optional.of(database.server().address());
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
  protected boolean restarts() {
    return true;
  }

  @Override
  protected void killAndRestart() {
    database.server().kill();
    database.server().restart();
  }

  @Override
  protected boolean hasClock() {
    return true;
  }

  @Override
  protected int attemptsPerThread() {
    return 200;
  }
}
