package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.server.RawClient;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server in a process of its own whose configuration changes while it runs. */
@Timeout(180)
final class ReloadTest {

  private static final String ADMIN = "the-token-of-the-admin";
  private static final String FIRST = "the-token-of-the-first";
  private static final String SECOND = "the-token-of-the-second";

  private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

  /** Half of them may be connections. */
  private static final int OPEN_FILES = 512;

  @TempDir private Path directory;

  private FirnServer server;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(directory.resolve("admin"), ADMIN);
    Files.writeString(directory.resolve("app"), FIRST);
    write("namespaces: {orders: }", "[orders]", "off");
    server = FirnServer.start("--store=memory:", "--config=" + directory.resolve("firn.yaml"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void write(String line, String namespaces, String rate) throws IOException {
    Files.writeString(
        directory.resolve("firn.yaml"),
        """
        on-demand: off
        %1$s
        tokens:
          admin: {file: %2$s/admin, scopes: [admin, read]}
          app: {file: %2$s/app, namespaces: %3$s, rate: %4$s}
        """
            .formatted(line, directory, namespaces, rate));
  }

  private String http(String method, String path, String token) {
    try (RawClient client = new RawClient(server.httpAddress())) {
      return client
          .send(method + " " + path + " HTTP/1.0\r\nAuthorization: Bearer " + token + "\r\n\r\n")
          .rest();
    }
  }

  private String reload() {
    return http("POST", "/v1/admin/reload", ADMIN);
  }

  @Test
  void takesNamespacesTokensAndLimits() throws Exception {
    assertThat(http("GET", "/v1/ids/refunds", FIRST)).contains(" 403 ");
    write("namespaces: {orders: , refunds: }", "[orders, refunds]", "5");
    assertThat(reload()).endsWith("\r\n\r\nreloaded\n");
    assertThat(http("GET", "/v1/ids/refunds", FIRST)).contains(" 200 ");
    assertThat(http("GET", "/v1/ids/refunds?count=6", FIRST))
        .contains("count: 6 (expected: 1..5, the IDs a second of token app)");
    write("namespaces: {orders: }", "[orders]", "off");
    assertThat(reload()).contains(" 200 ");
    assertThat(http("GET", "/v1/namespaces", ADMIN)).contains("orders").doesNotContain("refunds");
  }

  @Test
  void endsTheRightsOfATokenThatIsGoneAndKeepsTheOthers() throws Exception {
    try (RawClient app = new RawClient(server.address());
        RawClient admin = new RawClient(server.address())) {
      app.send("AUTH " + FIRST + "\r\n").expect("+OK\r\n");
      admin.send("AUTH " + ADMIN + "\r\n").expect("+OK\r\n");
      assertThat(app.send("INCR orders\r\n").line()).startsWith(":");
      Files.writeString(directory.resolve("app"), SECOND);
      app.send("INCR ord"); // without a part of a request, the next check closes it
      assertThat(reload()).contains(" 200 ");
      app.send("ers\r\nAUTH " + SECOND + "\r\nINCR orders\r\n");
      assertThat(app.line())
          .isEqualTo("-NOAUTH token: app, which was removed (expected: a current token)");
      app.expect("+OK\r\n");
      assertThat(app.line()).startsWith(":");
      assertThat(admin.send("INFO\r\n").line()).startsWith("$");
    }
  }

  /** A busy one, too: pools of connections present the new token on the next one only. */
  @Test
  void closesAConnectionWhoseTokenIsGone() throws Exception {
    try (RawClient idle = new RawClient(server.address());
        RawClient busy = new RawClient(server.address())) {
      idle.send("AUTH " + FIRST + "\r\n").expect("+OK\r\n");
      busy.send("AUTH " + FIRST + "\r\n").expect("+OK\r\n");
      Files.writeString(directory.resolve("app"), SECOND);
      assertThat(reload()).contains(" 200 ");
      String answer;
      do {
        answer = busy.send("INCR orders\r\n").line();
      } while (answer.startsWith("-NOAUTH token: app, which was removed"));
      assertThat(answer).isEmpty();
      assertThat(idle.rest()).isEmpty();
    }
  }

  @Test
  void asksNoTokenOfNewConnectionsOnceThereAreNone() throws Exception {
    try (RawClient open = new RawClient(server.address());
        RawClient http = new RawClient(server.httpAddress())) {
      String request = "GET /v1/ids/orders HTTP/1.1\r\nHost: localhost\r\n\r\n";
      assertThat(open.send("INCR orders\r\n").line()).startsWith("-NOAUTH ");
      Files.writeString(directory.resolve("firn.yaml"), "namespaces: {orders: }\non-demand: off\n");
      assertThat(reload()).contains(" 200 ");
      assertThat(http.send(request).line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(open.send("INCR orders\r\n").line()).startsWith("-NOAUTH ");
      assertThat(open.send("RESET\r\nINCR orders\r\n").line()).isEqualTo("+RESET");
      assertThat(open.line()).startsWith(":");
      try (RawClient next = new RawClient(server.address())) {
        assertThat(next.send("INCR orders\r\n").line()).startsWith(":");
        assertThat(next.send("AUTH " + FIRST + "\r\n").line())
            .startsWith("-ERR AUTH <password> called without any password configured");
      }
    }
  }

  @Test
  void asksATokenOfOldConnectionsOnceThereIsOne() throws Exception {
    server.close();
    Path config = directory.resolve("firn.yaml");
    String tokens = Files.readString(config);
    Files.writeString(config, "namespaces: {orders: }\nlisten: {thrift: off}\n");
    server = FirnServer.start("--store=memory:", "--config=" + config);
    try (RawClient open = new RawClient(server.address())) {
      assertThat(open.send("INCR orders\r\n").line()).startsWith(":");
      Files.writeString(config, tokens);
      open.send("INCR ord"); // without a part of a request, the next check closes it
      assertThat(http("POST", "/v1/admin/reload", "")).contains(" 200 ");
      assertThat(open.send("ers\r\n").line())
          .isEqualTo("-NOAUTH token: none (expected: one, which this server needs since a reload)");
    }
  }

  @Test
  void keepsTheConnectionsOfATokenThatHasAnotherName() throws Exception {
    try (RawClient app = new RawClient(server.address())) {
      app.send("AUTH " + FIRST + "\r\n").expect("+OK\r\n");
      Path file = directory.resolve("firn.yaml");
      Files.writeString(file, Files.readString(file).replace("  app: ", "  renamed: "));
      assertThat(reload()).contains(" 200 ");
      assertThat(app.send("INCR orders\r\n").line()).startsWith(":");
    }
  }

  @Test
  void namesTheLimitOfConnectionsThatHoldsNow() throws Exception {
    assumeTrue(Files.isExecutable(PRLIMIT), "there is no " + PRLIMIT);
    String line = "namespaces: {orders: }\nlimits: {request-time: 10m, connections: %d}";
    write(line.formatted(10_000), "[orders]", "off");
    String soft = "--nofile=" + OPEN_FILES + ":";
    new ProcessBuilder(PRLIMIT.toString(), "--pid", "" + server.pid(), soft)
        .inheritIO()
        .start()
        .waitFor();
    assertThat(reload()).contains(" 200 ");
    List<RawClient> busy = new ArrayList<>();
    try {
      for (int i = 0; i < OPEN_FILES / 2; i++) {
        RawClient client = new RawClient(server.address());
        busy.add(client);
        client.send("AUTH " + FIRST + "\r\n").expect("+OK\r\n");
      }
      assertThat(refusal())
          .isEqualTo(
              "-TRYAGAIN Too many connections: this server has 256, the limit of its open files\r\n");
      write(line.formatted(100), "[orders]", "off");
      assertThat(reload()).contains(" 200 ");
      assertThat(refusal())
          .isEqualTo(
              "-TRYAGAIN Too many connections: this server has 100, its limit"
                  + " (limits.connections)\r\n");
    } finally {
      busy.forEach(RawClient::close);
    }
  }

  private String refusal() {
    try (RawClient client = new RawClient(server.address())) {
      return client.rest();
    }
  }

  @Test
  void changesNothingIfAPartOfTheNewConfigurationIsWrong() throws Exception {
    write("namespaces: {orders: , refunds: }\nlimits: {cuont: 5}", "'*'", "off");
    assertThat(reload())
        .contains(" 400 ")
        .contains("limits.cuont: unknown (expected: count; firn.yaml line 3)");
    write("namespaces: {orders: {layout: twitter}}", "'*'", "off");
    assertThat(reload())
        .contains(" 400 ")
        .contains("namespaces.orders: changed (expected: as before, or a restart)");
    write("grace: 1s\nlisten: {thrift: off, admin: '127.0.0.1:0'}", "'*'", "off");
    assertThat(reload()).contains("listen: changed (expected: as before, or a restart)");
    assertThat(http("GET", "/v1/namespaces", ADMIN)).contains("orders").doesNotContain("refunds");
    assertThat(http("GET", "/v1/ids/orders", FIRST)).contains(" 200 ");
  }

  /** A pipe has no second writer, so that the reload would wait for it and never end. */
  @Test
  void refusesPipesAndReadsFilesBehindSymbolicLinks() throws Exception {
    refusesPipe("app", "tokens.app.file: %s (expected: a regular file; firn.yaml line 5)");
    refusesPipe("firn.yaml", "config: %s (expected: a regular file)");
  }

  /** Puts a pipe in the place of a file, and then a symbolic link to the file. */
  private void refusesPipe(String name, String refusal) throws Exception {
    Path file = directory.resolve(name);
    Files.move(file, directory.resolve("moved-" + name));
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    assertThat(reload()).contains(" 400 ").contains(refusal.formatted(file));
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("moved-" + name));
    assertThat(reload()).contains(" 200 ");
  }

  /** Such as a log: read as a whole, it would take all of the heap. */
  @Test
  void refusesFilesThatAreTooLarge() throws Exception {
    refusesLarge("app", "token file: %s (expected: a file to read; %s; firn.yaml line 5)");
    refusesLarge("firn.yaml", "config: %s (expected: a file to read; %s)");
    assertThat(http("GET", "/v1/ids/orders", FIRST)).contains(" 200 ");
  }

  /** Appends to a file more than an array can have, which takes no space on the disk. */
  private void refusesLarge(String name, String refusal) throws Exception {
    Path file = directory.resolve(name);
    try (RandomAccessFile appended = new RandomAccessFile(file.toFile(), "rw")) {
      long length = appended.length();
      appended.setLength(3L << 30);
      assertThat(reload())
          .contains(" 400 ")
          .contains(refusal.formatted(file, "it has more than 524288 bytes"));
      appended.setLength(length);
    }
    assertThat(reload()).contains(" 200 ");
  }

  /** The heap has 64 MB, and YAML takes many times the length of its text there. */
  @ParameterizedTest
  @CsvSource({
    "30000, x: unknown (expected: ",
    "100000, it has more than 524288 bytes",
  })
  void refusesAFileOfManyGroups(int count, String refusal) throws Exception {
    String groups =
        IntStream.range(0, count)
            .mapToObj(i -> "k" + i + ": {a: b}")
            .collect(Collectors.joining(",", "x: {", "}"));
    write("namespaces: {orders: }\n" + groups, "[orders]", "off");
    assertThat(reload()).contains(" 400 ").contains(refusal);
    assertThat(http("GET", "/v1/ids/orders", FIRST)).contains(" 200 ");
  }

  /** As a tool that writes the file leaves it for a moment. */
  @ParameterizedTest
  @ValueSource(strings = {"", "# managed\n", "namespaces: {}\n"})
  void refusesAFileWithoutSettingsIfItHadSome(String text) throws Exception {
    Path config = directory.resolve("firn.yaml");
    Files.writeString(config, text);
    assertThat(reload())
        .contains(" 400 ")
        .contains("config: " + config + ", without settings (expected: some, as before)");
    assertThat(http("GET", "/v1/ids/orders", FIRST)).contains(" 200 ");
    assertThat(http("GET", "/v1/ids/orders", "")).contains(" 401 ");
  }

  /** The file is cut off where the tokens begin. */
  @Test
  void refusesAFileWhoseTokensAreNotWrittenYet() throws Exception {
    Path config = directory.resolve("firn.yaml");
    String text = Files.readString(config);
    Files.writeString(config, text.substring(0, text.indexOf("tokens:") + "tokens:".length()));
    assertThat(reload())
        .contains(" 400 ")
        .contains("tokens: nothing (expected: a name below it, or {}; firn.yaml line 3)");
    assertThat(http("GET", "/v1/ids/orders", "")).contains(" 401 ");
  }

  @Test
  void acceptsAFileWithoutSettingsIfItHadNone() throws Exception {
    server.close();
    Path config = Files.writeString(directory.resolve("firn.yaml"), "");
    server =
        FirnServer.start(
            "--store=memory:", "--config=" + config, "--token-file=" + directory.resolve("admin"));
    Files.writeString(directory.resolve("admin"), SECOND);
    assertThat(http("POST", "/v1/admin/reload", ADMIN)).contains(" 200 ");
    assertThat(http("POST", "/v1/admin/reload", SECOND)).contains(" 200 ");
  }

  @Test
  void refusesANamespaceBesideOneOnDemandThatDiffersByCaseOnly() throws Exception {
    server.close();
    Path file = directory.resolve("firn.yaml");
    String tokens =
        "tokens: {admin: {file: " + directory + "/admin, scopes: [admin, issue], on-demand: on}}\n";
    Files.writeString(file, tokens);
    server = FirnServer.start("--store=memory:", "--config=" + file);
    assertThat(http("GET", "/v1/ids/invoices", ADMIN)).contains(" 200 ");
    Files.writeString(file, "namespaces: {default: , INVOICES: }\n" + tokens);
    assertThat(reload())
        .contains(" 400 ")
        .contains("namespaces.INVOICES: new (expected: another name, as invoices is open)");
    assertThat(http("GET", "/v1/ids/invoices", ADMIN)).contains(" 200 ");
  }

  /** Without namespaces there is one of the defaults. */
  @Test
  void changesNothingOfTheNamespaceThatIsThereWithoutSettings() throws Exception {
    server.close();
    write("grace: 1s", "'*'", "off");
    server = FirnServer.start("--store=memory:", "--config=" + directory.resolve("firn.yaml"));
    assertThat(http("GET", "/v1/ids/default", FIRST)).contains(" 200 ");
    write("namespaces: {default: {layout: twitter}}", "'*'", "off");
    assertThat(reload())
        .contains(" 400 ")
        .contains("namespaces.default: changed (expected: as before, or a restart)");
    write("namespaces: {default: , orders: }", "'*'", "off");
    assertThat(reload()).contains(" 200 ");
    assertThat(http("GET", "/v1/ids/orders", FIRST)).contains(" 200 ");
  }

  /** The server reads its own file; whoever sends one must not believe that it was taken. */
  @Test
  void refusesSettingsInTheRequest() {
    assertThat(http("POST", "/v1/admin/reload?count=5", ADMIN))
        .contains(" 400 ", "parameter: count (expected: none)");
    try (RawClient client = new RawClient(server.httpAddress())) {
      String head = "POST /v1/admin/reload HTTP/1.0\r\nAuthorization: Bearer " + ADMIN;
      assertThat(client.send(head + "\r\nContent-Length: 8\r\n\r\ncount: 5").rest())
          .contains(" 400 ", "body: 8 bytes (expected: none");
    }
  }

  @Test
  void isForAdministratorsOnlyAndByPost() {
    assertThat(http("POST", "/v1/admin/reload", FIRST))
        .contains(" 403 ")
        .contains("token: app (expected: a token with the scope admin among its scopes)");
    assertThat(http("GET", "/v1/admin/reload", ADMIN)).contains(" 405 ");
  }

  @Test
  void reloadsAtSighup() throws Exception {
    assumeFalse(IgnoredSignals.hasHangUp(), "these tests were started to ignore SIGHUP");
    write("namespaces: {orders: , refunds: }", "[orders, refunds]", "off");
    new ProcessBuilder("kill", "-HUP", "" + server.pid()).inheritIO().start().waitFor();
    while (!http("GET", "/v1/ids/refunds", FIRST).contains(" 200 ")) {
      Thread.sleep(10);
    }
    write("nonsense: 1", "[orders]", "off");
    new ProcessBuilder("kill", "-HUP", "" + server.pid()).inheritIO().start().waitFor();
    assertThat(http("GET", "/v1/ids/refunds", FIRST)).contains(" 200 ");
  }
}
