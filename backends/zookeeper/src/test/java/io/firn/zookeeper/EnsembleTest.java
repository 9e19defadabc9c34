package io.firn.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testservers.IssuingFleet;
import io.firn.testservers.ZooKeeperServers;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of leases while servers of an ensemble of three fail. */
class EnsembleTest {

  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final Duration A_FEW_WINDOWS = WINDOW.multipliedBy(2);

  private ZooKeeperServers servers;

  @BeforeEach
  void start() {
    servers = ZooKeeperServers.start(3);
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  private RegisterStore open() {
    return RegisterStore.open("zookeeper://" + servers.connectString() + "/ids?timeout=1s");
  }

  @Test
  void readShowsWhatWasAcknowledgedByAnotherServer() {
    try (RegisterStore writer = open(servers.address(0));
        RegisterStore reader = open(servers.address(1))) {
      for (long version = 0; version < 300; version++) {
        WriteResult written = writer.compareAndSet("orders/a", version, "v" + version);
        assertThat(written).isEqualTo(WriteResult.applied(version + 1));
        assertThat(reader.read("orders/a"))
            .contains(new Register("orders/a", version + 1, "v" + version));
      }
    }
  }

  private static RegisterStore open(InetSocketAddress server) {
    return RegisterStore.open("zookeeper://127.0.0.1:" + server.getPort() + "?timeout=20s");
  }

  @Test
  void noIdTwiceWhereTheLeaderIsKilled() {
    try (IssuingFleet fleet = new IssuingFleet(this::open, WINDOW)) {
      fleet.start(4);
      fleet.awaitIds();
      int killed = servers.killLeader();
      fleet.start(2);
      fleet.run(A_FEW_WINDOWS);
      fleet.awaitIds();
      servers.restart(killed);
      fleet.start(2);
      fleet.run(A_FEW_WINDOWS);
      fleet.awaitIds();
      fleet.endWithoutDuplicates();
    }
  }

  @Test
  void idsContinueToTheFenceWithoutAMajorityAndResumeWithOne() {
    try (IssuingFleet fleet = new IssuingFleet(this::open, Duration.ofSeconds(4));
        RegisterStore store = open()) {
      fleet.start(4);
      fleet.awaitIds();
      servers.kill(0);
      servers.kill(1);
      fleet.awaitIds();
      fleet.awaitFences();
      assertThatThrownBy(() -> store.read("orders/a"))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching("Store zookeeper://.* failed after \\d+ ms: no connection");

      servers.restart(0);
      fleet.awaitIds();
      fleet.endWithoutDuplicates();
    }
  }
}
