package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RedisAccessTest {

  private static final String NO_AUTH = "-NOAUTH Authentication required.\r\n";
  private static final String WRONG_PASS =
      "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

  private static RunningServer server;

  private RawClient client;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    Path all = Files.writeString(directory.resolve("all"), "a-token-for-all-of-it\n");
    Path some = Files.writeString(directory.resolve("some"), "a-token-for-billing");
    server =
        RunningServer.start(
            "redis",
            RedisProtocol::new,
            "tokens:",
            "  ops: {file: " + all + "}",
            "  billing: {file: " + some + ", namespaces: [invoices, refunds]}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void connect() {
    client = server.connect();
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  @Test
  void refusesALongRequestBeforeTheTokenAndTakesItAfterwards() {
    int text = RedisHandler.MAX_BYTES_BEFORE_TOKEN - "PING \r\n".length();
    client.send("PING " + "x".repeat(text) + "\r\n").expect(NO_AUTH);
    client.send("AUTH a-token-for-all-of-it\r\n").expect("+OK\r\n");
    client
        .send("PING " + "x".repeat(60_000) + "\r\n")
        .expect("$60000\r\n" + "x".repeat(60_000) + "\r\n");
    for (String longer :
        List.of("PING " + "x".repeat(text + 1) + "\r\n", "*2\r\n$4\r\nPING\r\n$16384\r\n")) {
      try (RawClient stranger = server.connect()) {
        assertThat(stranger.send(longer).rest())
            .startsWith("-ERR Protocol error: ")
            .endsWith(" (expected: at most 16384 bytes in a request)\r\n");
      }
    }
  }

  @Test
  void disconnectsAClientThatPresentsNoTokenInTime(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    try (RunningServer strict =
            RunningServer.start(
                "redis",
                RedisProtocol::new,
                "token-file: " + token,
                "limits: {request-time: 200ms}");
        RawClient known = authenticated(strict);
        RawClient unknown = strict.connect()) {
      assertThat(unknown.rest()).isIn("", "reset");
      known.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  /** A client that was fast enough. */
  private static RawClient authenticated(RunningServer server) {
    while (true) {
      RawClient client = server.connect();
      try {
        if (client.send("AUTH a-token-for-all-of-it\r\n").receive(5).equals("+OK\r\n")) {
          return client;
        }
      } catch (UncheckedIOException e) {
        // disconnected before
      }
      client.close();
    }
  }

  @Test
  void answersWithOneErrorWithoutTheScope(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    try (RunningServer issuing =
            RunningServer.start(
                "redis",
                RedisProtocol::new,
                "tokens: {ops: {file: %s, scopes: [issue]}}".formatted(token));
        RawClient other = issuing.connect()) {
      other.send("AUTH a-token-for-all-of-it\r\n").expect("+OK\r\n");
      for (String command :
          List.of("DBSIZE", "SCAN 0", "KEYS *", "EXISTS a", "TYPE a", "TTL a", "PTTL a", "INFO")) {
        other
            .send(command + "\r\n")
            .expect(
                "-NOPERM token: ops (expected: a token with the scope read among its scopes)\r\n");
      }
    }
  }

  @Test
  void disconnectsAClientThatGuessesTokens() {
    assertThat(client.send("AUTH wrong\r\n".repeat(11)).rest()).isEqualTo(WRONG_PASS.repeat(10));
  }

  @Test
  void showsOnlyTheNamespacesOfTheToken() {
    RawClient billing = client.send("AUTH a-token-for-billing\r\n").expect("+OK\r\n");
    billing.send("INCR invoices\r\n").line();
    String info = billing.send("INFO\r\nQUIT\r\n").rest();
    assertThat(info).contains("namespace_invoices:").doesNotContain("namespace_default:");
  }

  @Test
  void answersNothingWithoutAuthentication() {
    says("INCR invoices", NO_AUTH);
    says("PING", NO_AUTH);
    says("INFO", NO_AUTH);
    says("GET x", NO_AUTH);
    says("NONE x", NO_AUTH);
    says(
        "HELLO 3",
        "-NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
            + " <proto> AUTH <user> <pass> option can be used to authenticate the client and select"
            + " the RESP protocol version at the same time\r\n");
    assertThat(client.send("QUIT\r\n").rest()).isEqualTo("+OK\r\n");
  }

  private void says(String command, String reply) {
    client.send(command + "\r\n").expect(reply);
  }

  @Test
  void refusesAnUnknownToken() {
    says("AUTH a-token-for-all-of-i", WRONG_PASS);
    says("AUTH a-token-for-all-of-it2", WRONG_PASS);
    says("AUTH ''", WRONG_PASS);
    says("AUTH billing a-token-for-all-of-it", WRONG_PASS);
    says("HELLO 3 AUTH default wrong", WRONG_PASS);
    says("INCR invoices", NO_AUTH);
  }

  /** Pools of connections reset one before they give it to another user. */
  @Test
  void aResetForgetsTheToken() {
    says("AUTH a-token-for-all-of-it", "+OK\r\n");
    says("PING", "+PONG\r\n");
    says("RESET", "+RESET\r\n");
    says("PING", NO_AUTH);
    says("INCR default", NO_AUTH);
  }

  @Test
  void takesATokenAloneOrWithItsNameOrForTheDefaultUser() {
    says("AUTH a-token-for-all-of-it", "+OK\r\n");
    says("AUTH default a-token-for-all-of-it", "+OK\r\n");
    says("AUTH ops a-token-for-all-of-it", "+OK\r\n");
    says("PING", "+PONG\r\n");
    assertThat(client.send("INCR anything\r\n").line()).startsWith(":");
  }

  @Test
  void takesATokenWithTheGreeting() {
    client.send("HELLO 3 AUTH billing a-token-for-billing\r\n").expect("%7\r\n");
  }

  @Test
  void permitsATokenItsNamespacesOnly() {
    says("AUTH a-token-for-billing", "+OK\r\n");
    assertThat(client.send("INCR invoices\r\n").line()).startsWith(":");
    assertThat(client.send("NEXT refunds\r\n").line()).startsWith(":");
    says(
        "INCR orders",
        "-NOPERM namespace: orders (expected: one of invoices, refunds, which token billing may"
            + " use)\r\n");
  }

  @Test
  void forgetsTheRightsOfAnEarlierToken() {
    says("AUTH a-token-for-all-of-it", "+OK\r\n");
    String incr = "*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n";
    assertThat(client.send(incr).line()).startsWith(":");
    assertThat(client.send(incr).line()).startsWith(":");
    says("AUTH a-token-for-billing", "+OK\r\n");
    client.send(incr).expect("-NOPERM namespace: orders");
  }

  @Test
  void needsNoTokenWhereNoneIsConfigured() {
    try (RunningServer open = RunningServer.start("redis", RedisProtocol::new);
        RawClient other = open.connect()) {
      other
          .send("AUTH x\r\n")
          .expect(
              "-ERR AUTH <password> called without any password configured for the default user."
                  + " Are you sure your configuration is correct?\r\n");
      other.send("AUTH default x\r\n").expect("+OK\r\n");
    }
  }
}
