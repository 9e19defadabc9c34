package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The contract of a {@link RegisterStore} behind a server that the test can kill. It puts a {@link
 * CuttingProxy} in front of the server, kills the server under load, and requires:
 *
 * <ul>
 *   <li>A write whose reply is lost is {@link Outcome#UNKNOWN}, or applied if the client finds out.
 *       It is applied once. It is never a conflict, which happens if a client library sends it
 *       again, and never a {@link StoreException}.
 *   <li>While connections are refused, a read throws a {@link StoreException}. A write does too,
 *       unless it is unknown.
 *   <li>While the server is silent, the same holds, within {@link #callTimeout} and ten seconds
 *       more, which a busy machine may need.
 *   <li>The same client works again within thirty seconds after its server does.
 *   <li>Acknowledged writes survive a kill of the server. If the store may forget, no version is
 *       used twice.
 *   <li>A closed client throws {@link IllegalStateException}.
 * </ul>
 */
public abstract class RemoteRegisterStoreContract extends RegisterStoreContract {

  private static final int WRITERS_AT_A_KILL = 8;
  private static final int KILLS = Sizes.deep(1, 2);
  private static final int WRITES_BETWEEN_KILLS = 20;

  /** For subclasses. */
  protected RemoteRegisterStoreContract() {}

  /** Returns the address that the server listens on. */
  protected abstract InetSocketAddress server();

  /**
   * Opens a client that reaches the server of {@link #server} at the given address of the loopback
   * interface. Opening does not connect: the first call does.
   */
  protected abstract RegisterStore open(InetSocketAddress address) throws Exception;

  /** Returns how long a call of {@link #open(InetSocketAddress)} takes at most. */
  protected abstract Duration callTimeout();

  /**
   * Kills the server with SIGKILL, starts it again at the same address, and returns when it
   * answers. The contract calls it while clients write.
   */
  protected abstract void killAndRestart() throws Exception;

  /** Returns how long a call may take on a busy machine. */
  Duration maxCall() {
    return callTimeout().plusSeconds(10);
  }

  /** Returns how soon a client must work again by itself after its server does. */
  Duration maxRecovery() {
    return Duration.ofSeconds(30);
  }

  @Test
  void acknowledgedWritesOutliveTheServerThatIsKilled() throws Exception {
    Competition competition = new Competition(openMore(WRITERS_AT_A_KILL), name("killed/"));
    competition.start();
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        competition.awaitWrites(WRITES_BETWEEN_KILLS, maxRecovery());
        killAndRestart();
      }
      competition.awaitWrites(WRITES_BETWEEN_KILLS, maxRecovery());
    } finally {
      competition.stop();
    }
    competition.check(openAnother(), store().mayForget());
  }

  @Test
  void writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict() throws Exception {
    try (Outage outage = outage()) {
      outage.losesReplies();
    }
  }

  @Test
  void refusedConnectionFailsInTimeAndTheClientRecovers() throws Exception {
    try (Outage outage = outage()) {
      outage.refusesConnections(this instanceof StoreClockContract);
    }
  }

  @Test
  void silentServerFailsInTimeAndTheClientRecovers() throws Exception {
    try (Outage outage = outage()) {
      outage.stalls();
    }
  }

  private Outage outage() throws Exception {
    return new Outage(
        server(), address -> closedAtEnd(open(address)), name(""), maxCall(), maxRecovery());
  }

  @Test
  void closedClientThrows() throws Exception {
    RegisterStore used = openAnother();
    used.read(name("a"));
    throwsOnceClosed(used);
    throwsOnceClosed(openAnother());
  }

  private void throwsOnceClosed(RegisterStore client) {
    client.close();
    for (Executable call :
        List.<Executable>of(
            () -> client.read(name("a")),
            () -> client.scan(name("")),
            () -> client.compareAndSet(name("a"), 0, "x"))) {
      assertEquals(
          "Store " + client + " is closed; close it after its generators",
          assertThrows(IllegalStateException.class, call).getMessage());
    }
  }
}
