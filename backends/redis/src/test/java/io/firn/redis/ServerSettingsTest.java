package io.firn.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import io.firn.testservers.RedisSentinel;
import io.firn.testservers.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the commands that the store sends when it connects. */
class ServerSettingsTest {

  private static RegisterStore open(RedisServer server, String parameters) {
    return RegisterStore.open("redis://127.0.0.1:" + server.port() + "?timeout=30s" + parameters);
  }

  @ParameterizedTest
  @ValueSource(strings = {"allkeys-lru", "allkeys-random"})
  void serverThatMayEvictAllRegistersIsRefusedUnlessAllowed(String policy) {
    try (RedisServer server = RedisServer.start("--maxmemory-policy", policy);
        RegisterStore refused = open(server, "");
        RegisterStore allowed = open(server, "&allow-eviction=true")) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> refused.compareAndSet("a", 0, "x"))
            .isInstanceOf(StoreException.class)
            .hasMessageStartingWith("Store redis://127.0.0.1:" + server.port() + "?timeout=30s")
            .hasMessageEndingWith(
                ": maxmemory-policy "
                    + policy
                    + " may evict the key of all registers; set noeviction,"
                    + " or accept the risk with allow-eviction=true in the address");
      }
      assertThat(allowed.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  /** A write that is applied and then not acknowledged takes a worker ID for a window. */
  @Test
  void userWithoutTheRightToWaitWritesNothingWhereReplicasMustAcknowledge() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        RegisterStore waiting = open(primary, "&replicas=1");
        RegisterStore other = open(primary, "")) {
      Admin.ask(primary, "ACL", "SETUSER", "default", "-wait");
      assertThatThrownBy(() -> waiting.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(
              "Store redis://127.0.0.1:\\d+\\?timeout=30s&replicas=1 failed after \\d+ ms:"
                  + " NOPERM WAIT is refused; give the user the right \\+wait");
      assertThat(other.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
      Admin.ask(primary, "ACL", "SETUSER", "default", "+wait");
      assertThat(waiting.compareAndSet("b", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(replica.port()).isPositive();
    }
  }

  /** A lease tries again several times a second: its server would refuse all clients. */
  @Test
  @Timeout(60)
  void connectionToAServerThatIsRefusedIsClosed() throws Exception {
    try (RedisServer server = RedisServer.start("--maxmemory-policy", "allkeys-lru");
        RegisterStore refused = open(server, "")) {
      for (int i = 0; i < 10; i++) {
        assertThatThrownBy(() -> refused.read("a")).isInstanceOf(StoreException.class);
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        while (clients(socket) > 1) {
          TimeUnit.MILLISECONDS.sleep(10);
        }
      }
    }
  }

  /** Returns how many clients the server has, with this one. */
  private static int clients(Socket socket) throws IOException {
    socket.getOutputStream().write("INFO clients\r\n".getBytes(US_ASCII));
    byte[] answer = new byte[4096];
    String text = new String(answer, 0, socket.getInputStream().read(answer), US_ASCII);
    return Integer.parseInt(text.replaceAll("(?s).*connected_clients:([0-9]+).*", "$1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"noeviction", "volatile-lru"})
  void serverThatEvictsOnlyWhatExpiresIsTaken(String policy) {
    try (RedisServer server = RedisServer.start("--maxmemory-policy", policy);
        RegisterStore store = open(server, "")) {
      assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @Test
  void serverWithoutAnAppendOnlyFileIsWarnedAboutIfItMustKeepWrites() {
    try (RedisServer server = RedisServer.start("--appendonly", "no");
        RedisServer keeping = RedisServer.startDurable()) {
      assertThat(warnings(server, "&may-forget=false"))
          .singleElement()
          .asString()
          .contains("may lose acknowledged writes in a crash: appendonly: no (expected: yes");
      assertThat(warnings(server, "")).isEmpty();
      assertThat(warnings(server, "&may-forget=false&replicas=1")).isEmpty();
      assertThat(warnings(keeping, "&may-forget=false")).isEmpty();
      Admin.ask(server, "ACL", "SETUSER", "default", "-config");
      assertThat(warnings(server, "&may-forget=false")).hasSize(1);
    }
  }

  @Test
  void storeWarnsOnceHoweverOftenItConnects() {
    try (RedisServer server = RedisServer.start("--appendonly", "no")) {
      List<String> messages =
          warnings(
              server,
              "&may-forget=false",
              store -> {
                store.read("a");
                Admin.ask(server, "CLIENT", "KILL", "TYPE", "normal");
                assertThat(whenConnectedAnew(store)).isEqualTo(Outcome.APPLIED);
              });
      assertThat(messages).filteredOn(text -> text.contains("may lose")).hasSize(1);
    }
  }

  @Test
  void appendOnlyFileThatIsForcedLaterIsWarnedAboutIfItMustKeepWrites() {
    try (RedisServer server = RedisServer.startDurable("--appendfsync", "everysec")) {
      assertThat(warnings(server, "&may-forget=false"))
          .singleElement()
          .asString()
          .contains("may lose acknowledged writes in a crash: appendfsync: everysec (expected: al");
      assertThat(warnings(server, "")).isEmpty();
      Admin.ask(server, "ACL", "SETUSER", "default", "-config");
      assertThat(warnings(server, "&may-forget=false")).isEmpty();
    }
  }

  private static List<String> warnings(RedisServer server, String parameters) {
    return warnings(server, parameters, store -> store.read("a"));
  }

  private static List<String> warnings(
      RedisServer server, String parameters, Consumer<RegisterStore> calls) {
    List<String> messages = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getMessage().contains("127.0.0.1:" + server.port() + "?")) { // not another's
              messages.add(record.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(RedisRegisterStore.class.getName());
    logger.addHandler(handler);
    try (RegisterStore store = open(server, parameters)) {
      calls.accept(store);
      return messages;
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void newPasswordIsTakenAtTheNextConnect(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "old");
    try (RedisServer server = RedisServer.start("--requirepass", "old");
        RegisterStore store = open(server, "&password-file=" + file)) {
      assertThat(store.read("a")).isEmpty();
      Files.writeString(file, "new");
      Admin.askAs("old", server.port(), "CONFIG", "SET", "requirepass", "new");
      Admin.askAs("new", server.port(), "CLIENT", "KILL", "TYPE", "normal");
      assertThat(whenConnectedAnew(store)).isEqualTo(Outcome.APPLIED);
    }
  }

  /** The first call may still find the connection that was killed. */
  private static Outcome whenConnectedAnew(RegisterStore store) {
    try {
      store.read("a");
    } catch (StoreException e) {
      // it was
    }
    return store.compareAndSet("a", 0, "x").outcome();
  }

  @Test
  void sentinelsMayHaveAPasswordOfTheirOwn() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(primary);
        RedisSentinel sentinel = RedisSentinel.start("orders", primary)) {
      assertThat(replica.port()).isPositive();
      Admin.askAs("", sentinel.port(), "ACL", "SETUSER", "default", "resetpass", ">guard");
      String address = "redis-sentinel://127.0.0.1:" + sentinel.port() + "/orders?timeout=30s";
      try (RegisterStore none = RegisterStore.open(address);
          RegisterStore right = RegisterStore.open(address + "&sentinel-password=guard")) {
        assertThatThrownBy(() -> none.read("a")).isInstanceOf(StoreException.class);
        assertThat(right.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(right).hasToString(address + "&sentinel-password=***");
      }
    }
  }
}
