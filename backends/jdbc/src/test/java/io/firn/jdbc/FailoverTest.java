package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.CuttingProxy;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses with several hosts, and a server that hangs. */
@Timeout(180)
class FailoverTest {

  private static final Duration MAX_WAIT = Duration.ofSeconds(90);

  @Test
  void writesGoToThePrimaryAtAnyPlaceInTheAddress() {
    try (PostgresServer primary = PostgresServer.start("-c", "synchronous_standby_names=s1");
        PostgresServer standby = PostgresServer.startStandbyOf(primary, "s1")) {
      String hosts = "127.0.0.1:" + standby.port() + ",127.0.0.1:" + primary.port();
      String url = primary.jdbcUrl().replaceFirst("//[^/]*/", "//" + hosts + "/");
      try (RegisterStore store = RegisterStore.open(url + "&timeout=5s")) {
        awaitWrite(store, "1");
        primary.kill();
        standby.promote();
        awaitWrite(store, "2");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mysql:", "jdbc:mariadb:"})
  void writesGoToTheSecondServerWhereTheFirstIsDown(String scheme) {
    try (MariaDbServer first = MariaDbServer.start();
        MariaDbServer second = MariaDbServer.start();
        RegisterStore replica = RegisterStore.open(second.jdbcUrl() + "&timeout=5s")) {
      assertThat(replica.scan("")).isEmpty(); // has the table, as a replica has
      String hosts = "127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port();
      String url = withHosts(first, hosts, scheme);
      try (RegisterStore store = RegisterStore.open(url + "&timeout=5s")) {
        awaitWrite(store, "1");
        first.kill();
        awaitWrite(store, "2");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mysql:", "jdbc:mariadb:"})
  void callEndsInTimeWhereNoHostAnswers(String scheme) throws IOException {
    try (ServerSocket first = silentServer();
        ServerSocket second = silentServer();
        RegisterStore store =
            RegisterStore.open(
                scheme + "//" + host(first) + "," + host(second) + "/firn?user=root&timeout=2s")) {
      long begin = System.nanoTime();
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + store + " failed after ");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mysql:", "jdbc:mariadb:"})
  void firstCallReachesTheSecondHostWhereTheFirstDoesNotAnswer(String scheme) throws IOException {
    try (ServerSocket first = silentServer();
        MariaDbServer second = MariaDbServer.start();
        RegisterStore direct = RegisterStore.open(second.jdbcUrl() + "&timeout=20s")) {
      assertThat(direct.scan("")).isEmpty();
      String hosts = host(first) + ",127.0.0.1:" + second.port();
      String url = withHosts(second, hosts, scheme);
      try (RegisterStore store = RegisterStore.open(url + "&timeout=10s")) {
        assertThat(store.read("a")).isEmpty();
      }
    }
  }

  /** Returns the address of a server with other hosts in it. */
  private static String withHosts(MariaDbServer server, String hosts, String scheme) {
    return server
        .jdbcUrl()
        .replaceFirst("//[^/]*/", "//" + hosts + "/")
        .replace("jdbc:mariadb:", scheme);
  }

  /** A server whose system accepts connections, as that of a process that is stopped does. */
  private static ServerSocket silentServer() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static String host(ServerSocket server) {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** A write may fail while nobody is the primary, and be lost with the server that had it. */
  private static void awaitWrite(RegisterStore store, String value) {
    TimeSource time = TimeSource.system();
    long end = time.nanoTime() + MAX_WAIT.toNanos();
    for (Object last = "none"; ; ) {
      try {
        long version = store.read("a").map(found -> found.version()).orElse(0L);
        WriteResult written = store.compareAndSet("a", version, value);
        if (written.outcome() == Outcome.APPLIED) {
          return;
        }
        last = written;
      } catch (StoreException e) {
        last = e;
      }
      assertThat(time.nanoTime()).as("last: %s", last).isLessThan(end);
      time.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  /** H2's connections ignore {@code setNetworkTimeout}. */
  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void serverOfH2ThatHangsIsLeftAloneInTime(@TempDir Path directory) throws SQLException {
    Server server =
        Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", "" + directory).start();
    try (CuttingProxy proxy =
            CuttingProxy.to(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()));
        RegisterStore store =
            RegisterStore.open(
                "jdbc:h2:tcp://127.0.0.1:"
                    + proxy.address().getPort()
                    + "/./registers?timeout=2s&user=sa")) {
      long version = store.compareAndSet("a", 0, "1").version();
      proxy.stall();
      assertThat(store.compareAndSet("a", version, "2")).isEqualTo(WriteResult.UNKNOWN);
      assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
      proxy.heal();
      awaitWrite(store, "3");
    } finally {
      server.stop();
    }
  }
}
