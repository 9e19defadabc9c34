package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.firn.lease.Namespace;
import io.firn.server.RawClient;
import io.firn.store.FileRegisterStore;
import io.firn.testkit.FreePort;
import io.firn.testservers.FailoverClients;
import io.firn.testservers.FirnServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.TestJvm;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server in a process of its own, and signals. */
@Timeout(300)
final class ServeProcessTest {

  @TempDir private Path store;

  /** The one that {@link #greeting} starts. */
  private @Nullable Process firn;

  private BufferedReader out;
  private Thread killer;

  @AfterEach
  void end() {
    if (firn != null) {
      firn.destroyForcibly().onExit().join();
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private Process start(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--listen-http=127.0.0.1:0");
    all.add("--listen-redis=127.0.0.1:0");
    return process(all.toArray(String[]::new)).redirectErrorStream(true).start();
  }

  private ProcessBuilder process(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of("--store=file:" + store, "--grace=10m", "--drain=0ms", "--listen-thrift=off"));
    ProcessBuilder builder = new ProcessBuilder(TestJvm.command(Main.class.getName(), all));
    FirnServer.clearSettings(builder.environment());
    return builder;
  }

  /** Starts the server, and returns its output once it has started. */
  private String greeting() throws IOException {
    firn = start("serve");
    killer = new Thread(firn::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    out = firn.inputReader(UTF_8);
    StringBuilder text = new StringBuilder();
    String line = "";
    while (line != null && !line.startsWith("  open ")) {
      line = out.readLine();
      text.append(line).append('\n');
    }
    return text.toString();
  }

  private static RawClient connect(String greeting, Pattern port) {
    Matcher found = port.matcher(greeting);
    assertThat(found.find()).as(greeting).isTrue();
    return new RawClient(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(found.group(1))));
  }

  private static RawClient redis(String greeting) {
    return connect(greeting, Pattern.compile("-p ([0-9]+) INCR"));
  }

  private static RawClient http(String greeting) {
    return connect(greeting, Pattern.compile("curl http://127.0.0.1:([0-9]+)/"));
  }

  @Test
  void saysWhatItServesAndWhatToTry() throws Exception {
    String greeting = greeting();
    assertThat(greeting)
        .matches(
            """
            default: classic, worker \\d+, window 30000 ms, store file:\\S+, until 2095-09-07T15:47:35.552Z
            Try:
              curl http://127.0.0.1:\\d+/v1/ids/default
              redis-cli -h 127.0.0.1 -p \\d+ INCR default
              open http://127.0.0.1:\\d+/
            """);
    try (RawClient redis = redis(greeting);
        RawClient http = http(greeting)) {
      assertThat(redis.send("INCR default\r\n").line()).startsWith(":");
      assertThat(http.send("GET /readyz HTTP/1.0\r\n\r\n").rest()).endsWith("\r\n\r\nready\n");
    }
  }

  @Test
  void triesSnowflakesOnlyAndWithTheTokenThatIsNeeded(@TempDir Path folder) throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "a-token-of-the-test");
    Path config =
        Files.writeString(
            folder.resolve("firn.yaml"), "{namespaces: {bills: {type: segment}, orders: {}}}");
    Process other = start("serve", "--config=" + config, "--token-file=" + token);
    try (BufferedReader said = other.inputReader(UTF_8)) {
      String line = said.readLine();
      while (!line.startsWith("  open")) {
        if (line.startsWith("  ")) {
          assertThat(line).containsPattern("TOKEN.* (INCR |http://.*/v1/ids/)orders$");
        }
        line = said.readLine();
      }
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void saysItAsAnEventWhereTheLogIsOfObjects() throws Exception {
    Process other = start("serve", "--log-format=json");
    try (BufferedReader said = other.inputReader(UTF_8)) {
      assertThat(said.readLine())
          .matches(
              "\\{\"time\":\"\\S+Z\",\"level\":\"INFO\",\"logger\":\"io.firn.server\","
                  + "\"message\":\"serving\",\"namespace\":\"default\",\"layout\":\"classic\","
                  + "\"worker\":[0-9]+,\"window_ms\":30000,\"store\":\"file:\\S+\","
                  + "\"until\":\"2095-09-07T15:47:35.552Z\",\"outage\":null}");
    } finally {
      other.destroyForcibly().onExit().join();
    }
  }

  /** The file of its configuration is a pipe, so that it starts when the test writes. */
  @Test
  void appliesAReloadThatComesBeforeItHasStarted(@TempDir Path folder) throws Exception {
    assumeFalse(IgnoredSignals.hasHangUp(), "these tests were started to ignore SIGHUP");
    Path config = folder.resolve("firn.yaml");
    assertThat(new ProcessBuilder("mkfifo", config.toString()).start().waitFor()).isZero();
    Process other = start("serve", "--config=" + config);
    try (BufferedReader said = other.inputReader(UTF_8)) {
      Path next = Files.writeString(folder.resolve("next"), "namespaces: {orders: , refunds: }");
      try (OutputStream first = Files.newOutputStream(config)) { // once the server reads
        assertThat(new ProcessBuilder("kill", "-HUP", "" + other.pid()).start().waitFor()).isZero();
        assertThat(other.waitFor(1, TimeUnit.SECONDS)).as("ended").isFalse();
        Files.move(next, config, StandardCopyOption.ATOMIC_MOVE);
        first.write("namespaces: {orders: }".getBytes(UTF_8));
      }
      String line = said.readLine();
      while (line != null && !line.endsWith("configuration reloaded")) {
        line = said.readLine();
      }
      assertThat(line).isNotNull();
    } finally {
      other.destroyForcibly().onExit().join();
    }
  }

  static Stream<String> signals() throws IOException {
    return IgnoredSignals.hasInterrupt() ? Stream.of("TERM") : Stream.of("TERM", "INT");
  }

  @ParameterizedTest
  @MethodSource("signals")
  void stopsInOrderAndWithSuccessOnASignal(String signal) throws Exception {
    String greeting = greeting();
    assertThat(workersHeld()).isEqualTo(1);
    try (RawClient client = redis(greeting)) {
      client.send("INCR default\r\n").line();
      signal(signal);
      assertThat(client.rest()).isEmpty();
      assertThat(firn.waitFor(60, TimeUnit.SECONDS)).as("well within the grace").isTrue();
    }
    assertThat(firn.exitValue()).isZero();
    assertThat(out.readLine()).isNull();
    assertThat(workersHeld()).isZero();
  }

  @Test
  void stopsInOrderUnderLoad() throws Exception {
    InetSocketAddress address;
    try (RawClient client = redis(greeting())) {
      address = (InetSocketAddress) client.socket().getRemoteSocketAddress();
    }
    try (FailoverClients clients = new FailoverClients(List.of(address), 1, 16)) {
      clients.awaitIds();
      signal("TERM");
      assertThat(firn.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(firn.exitValue()).isZero();
      assertThat(workersHeld()).isZero();
      assertThat(clients.end().duplicates()).isZero();
      assertThat(clients.breaks()).containsExactly(1, 1);
      assertThat(clients.refusals()).isZero();
    }
  }

  private long workersHeld() {
    try (FileRegisterStore registers = FileRegisterStore.open(store)) {
      return Namespace.of(registers, "default").workers().stream()
          .filter(worker -> worker.held())
          .count();
    }
  }

  private void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, "" + firn.pid()).inheritIO().start().waitFor();
  }

  @Test
  void sharesItsNamespaceWithAnother() throws Exception {
    greeting();
    Process other = start("serve");
    try (BufferedReader said = other.inputReader(UTF_8)) {
      assertThat(said.readLine()).startsWith("default: classic, worker ");
      assertThat(workersHeld()).isEqualTo(2);
    } finally {
      other.destroyForcibly().onExit().join();
    }
  }

  @Test
  void servesWhereItsGreetingCannotBeWritten() throws Exception {
    int port = FreePort.next();
    Process other =
        process("serve", "--listen-http=127.0.0.1:" + port, "--listen-redis=off")
            .redirectOutput(new File("/dev/full"))
            .redirectError(ProcessBuilder.Redirect.PIPE)
            .start();
    try (BufferedReader log = other.errorReader(UTF_8)) {
      assertThat(log.readLine())
          .contains(" WARNING io.firn.server Cannot write to standard output");
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      try (RawClient http = new RawClient(address)) {
        assertThat(http.send("GET /livez HTTP/1.0\r\n\r\n").rest()).endsWith("alive\n");
      }
      other.destroy();
      assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(other.exitValue()).isZero();
    } finally {
      other.destroyForcibly().onExit().join();
    }
  }

  @Test
  void aFailedStartIsNoSuccess() throws Exception {
    String greeting = greeting();
    try (RawClient client = redis(greeting)) {
      Process other =
          process(
                  "serve",
                  "--listen-http=off",
                  "--listen-redis=127.0.0.1:" + client.socket().getPort())
              .redirectErrorStream(true)
              .start();
      assertThat(new String(other.getInputStream().readAllBytes(), UTF_8))
          .startsWith(
              "firn: Cannot listen at 127.0.0.1:"
                  + client.socket().getPort()
                  + " (listen.redis): ");
      assertThat(other.waitFor()).isEqualTo(1);
    }
  }

  /** As in a container, or under a user ID that nobody gave a name. */
  @Test
  void aUserWithoutAHomeIsAskedForAStore() throws Exception {
    Process homeless = checkWithDefaultStore(Map.of());
    assertThat(new String(homeless.getInputStream().readAllBytes(), UTF_8))
        .startsWith("firn: store: not set (expected: an address; ");
    assertThat(homeless.waitFor()).isEqualTo(2);
    Process told = checkWithDefaultStore(Map.of("HOME", store.toString()));
    assertThat(new String(told.getInputStream().readAllBytes(), UTF_8)).isEmpty();
    assertThat(told.waitFor()).isZero();
    assertThat(store.resolve(".local").resolve("state").resolve("firn")).isDirectory();
  }

  private Process checkWithDefaultStore(Map<String, String> variables) throws IOException {
    ProcessBuilder check =
        process("serve", "--check", "--listen-http=127.0.0.1:0", "--listen-redis=off")
            .redirectErrorStream(true);
    check.command().removeIf(argument -> argument.startsWith("--store="));
    check.command().add(1, "-Duser.home=?");
    check.environment().keySet().removeAll(List.of("HOME", "XDG_STATE_HOME"));
    check.environment().putAll(variables);
    return check.start();
  }

  @Test
  void stopsInItsGraceWhileTheStoreHangs() throws Exception {
    try (RedisServer redis = RedisServer.start();
        FirnServer server =
            FirnServer.start("--store=redis://127.0.0.1:" + redis.port(), "--grace=2s")) {
      try (RawClient client = new RawClient(server.address())) {
        while (!client.send("INCR default\r\n").line().startsWith(":")) {
          Thread.sleep(100); // the store is slow on a busy machine
        }
      }
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      redis.pause();
      process.destroy();
      assertThat(process.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
      redis.resume();
    }
  }

  @Test
  void logsThatItsStoreIsDownAtTheStartAndThatItHasCome() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      redis.kill();
      try (FirnServer server = FirnServer.start("--store=redis://127.0.0.1:" + redis.port())) {
        redis.restart();
        awaitOutput(server, " INFO io.firn.server namespace default opened, worker ");
        assertThat(server.output())
            .contains("Z WARNING io.firn.server namespace default not opened: Store redis://");
      }
    }
  }

  /** The greeting waits for a namespace two seconds at most. */
  @Test
  void logsThatANamespaceHasOpenedAfterTheGreeting() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      redis.pause();
      String store = "--store=redis://127.0.0.1:" + redis.port() + "?timeout=10s";
      try (FirnServer server = FirnServer.start(store)) {
        awaitOutput(server, "default: not ready; Namespace default is being opened");
        redis.resume();
        awaitOutput(server, " INFO io.firn.server namespace default opened, worker ");
      }
    }
  }

  private static void awaitOutput(FirnServer server, String text) throws InterruptedException {
    while (!server.output().contains(text)) {
      Thread.sleep(10);
    }
  }

  /** Starts a server whose store cannot be closed, and returns how long it takes to stop. */
  private static Duration stopWithoutClosing(String store) throws Exception {
    try (FirnServer server = FirnServer.start("--store=" + store, "--grace=1s")) {
      long begin = System.nanoTime();
      assertThat(server.stop()).isEqualTo(1);
      return Duration.ofNanos(System.nanoTime() - begin);
    }
  }

  @Test
  void aStopThatFailsIsNoSuccess() throws Exception {
    stopWithoutClosing("unclosable:fails");
  }

  /** The slack is for a busy machine, and shorter than what a store may take. */
  @Test
  void aStopThatHangsIsCutOffASecondAfterTheGrace() throws Exception {
    assertThat(stopWithoutClosing("unclosable:hangs"))
        .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(2 + 8));
  }

  @Test
  void checksItself() throws Exception {
    Process check = start("serve", "--check");
    assertThat(new String(check.getInputStream().readAllBytes(), UTF_8)).isEmpty();
    assertThat(check.waitFor()).isZero();
  }

  @Test
  void checksItselfWithATokenThatMayIssue(@TempDir Path folder) throws Exception {
    Path admin = Files.writeString(folder.resolve("admin"), "a-token-for-admins");
    Path orders = Files.writeString(folder.resolve("orders"), "a-token-for-orders");
    Path config =
        Files.writeString(
            folder.resolve("firn.yaml"),
            "{on-demand: off, namespaces: {bills: {type: segment}, orders: {}}, tokens: {admin:"
                + " {file: %s, scopes: admin}, orders: {file: %s, namespaces: orders}}}"
                    .formatted(admin, orders));
    Process check = start("serve", "--check", "--config=" + config);
    assertThat(new String(check.getInputStream().readAllBytes(), UTF_8)).isEmpty();
    assertThat(check.waitFor()).isZero();
  }
}
