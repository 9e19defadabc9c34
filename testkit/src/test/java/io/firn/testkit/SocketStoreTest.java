package io.firn.testkit;

import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** A store with a server that can break and be killed keeps the contract. */
class SocketStoreTest extends RemoteRegisterStoreContract {

  /** Tests of the state that a killed server finds after its restart. */
  private volatile RegisterStore registers = new InMemoryRegisterStore();

  private final LineServer server =
      new LineServer(request -> SocketStore.answer(registers, request));
  private SocketStore.Fault fault = SocketStore.Fault.NONE;
  private boolean forgets;
  private Duration maxLate = Duration.ofSeconds(60);

  /** The contract of a store that is not right. */
  static SocketStoreTest with(SocketStore.Fault fault, boolean forgets) {
    SocketStoreTest contract = new SocketStoreTest();
    contract.fault = fault;
    contract.forgets = forgets;
    contract.maxLate = Duration.ofSeconds(4);
    return contract;
  }

  @Override
  protected RegisterStore open() {
    return open(server.address());
  }

  @Override
  protected InetSocketAddress server() {
    return server.address();
  }

  @Override
  protected RegisterStore open(InetSocketAddress address) {
    return new SocketStore(address, fault);
  }

  @Override
  protected Duration callTimeout() {
    return Duration.ofMillis(SocketStore.TIMEOUT_MILLIS);
  }

  @Override
  Duration maxCall() {
    return callTimeout().plus(maxLate);
  }

  @Override
  Duration maxRecovery() {
    return maxLate;
  }

  @Override
  protected void killAndRestart() throws IOException {
    server.close();
    if (forgets) {
      registers = new InMemoryRegisterStore();
    }
    server.start();
  }

  @Override
  protected int attemptsPerThread() {
    return 300;
  }

  @AfterEach
  void closeServer() throws IOException {
    server.close();
  }
}
