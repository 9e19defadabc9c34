package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.http.HttpProtocol;
import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.ManualTimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the limits of connections by address and by age. */
@Timeout(60)
final class ConnectionLimitsTest {

  private static final String TOKEN = "a-token-for-all-of-it";
  private static final String HEAD = "HEAD /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));

  @Test
  void connectionsOfAnAddressWithoutATokenAreLimited(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    try (RunningServer server =
            RunningServer.start(
                "redis",
                RedisProtocol::new,
                "token-file: " + token,
                "limits: {connections-per-address: 2}");
        RawClient first = server.connect();
        RawClient second = server.connect()) {
      first.send("PING\r\n").line();
      second.send("PING\r\n").line();
      try (RawClient third = server.connect()) {
        assertThat(third.rest())
            .isEqualTo(
                "-TRYAGAIN Too many connections of your address without a token: more than 2, the limit"
                    + " (limits.connections-per-address)\r\n");
      }
      first.send("AUTH " + TOKEN + "\r\n").expect("+OK\r\n");
      try (RawClient fourth = server.connect()) {
        assertThat(fourth.send("PING\r\n").line()).startsWith("-NOAUTH");
      }
      while (!isLetIn(server)) {
        Thread.onSpinWait();
      }
      first.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  @Test
  void aConnectionRefusedAtTheLimitOfItsAddressIsARefusal(@TempDir Path directory)
      throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    try (RunningServer server =
            RunningServer.start(
                "http",
                HttpProtocol::new,
                "{token-file: %s, limits: {connections-per-address: 1}}".formatted(token));
        RawClient first = server.connect();
        RawClient second = server.connect()) {
      String answer = second.send("GET /v1/ids/default HTTP/1.0\r\n\r\n").rest();
      assertThat(answer).startsWith("HTTP/1.1 429 Too Many Requests\r\n");
      assertThat(answer).containsIgnoringCase("\r\nretry-after: 1\r\n");
      assertThat(refusals(server, "http", RequestException.Kind.TOO_MANY)).isEqualTo(1);
      first.send("GET /livez HTTP/1.0\r\n\r\n").rest();
    }
    try (RunningServer server =
            RunningServer.start(
                "redis",
                RedisProtocol::new,
                "{token-file: %s, limits: {connections-per-address: 1}}".formatted(token));
        RawClient first = server.connect();
        RawClient second = server.connect()) {
      assertThat(second.rest()).startsWith("-TRYAGAIN Too many connections of your address ");
      assertThat(refusals(server, "redis", RequestException.Kind.TOO_MANY)).isEqualTo(1);
      first.send("QUIT\r\n").rest();
    }
  }

  @Test
  void aConnectionRefusedByAFullServerIsARefusal() {
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, "limits: {connections: 1}");
        RawClient first = server.connect()) {
      first.send("PING\r\n").expect("+PONG\r\n");
      try (RawClient second = server.connect()) {
        assertThat(second.rest()).startsWith("-TRYAGAIN Too many connections: this server has 1, ");
      }
      assertThat(refusals(server, "redis", RequestException.Kind.UNAVAILABLE)).isEqualTo(1);
    }
  }

  /** Clients of HTTP are refused with the answer to their first request, unless it is a probe. */
  @Test
  void aConnectionRefusedByAFullServerIsARefusalOverHttp() {
    try (RunningServer server =
            RunningServer.start("http", HttpProtocol::new, "limits: {connections: 1}");
        RawClient first = server.connect()) {
      first.send("GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n").line();
      try (RawClient probe = server.connect()) {
        assertThat(probe.send("GET /livez HTTP/1.0\r\n\r\n").line()).endsWith(" 200 OK");
      }
      try (RawClient second = server.connect()) {
        assertThat(second.send("GET /v1/ids/default HTTP/1.0\r\n\r\n").rest()).contains(" 503 ");
      }
      assertThat(refusals(server, "http", RequestException.Kind.UNAVAILABLE)).isEqualTo(1);
    }
  }

  /** Returns the connections that were refused, each of which is also one that was closed. */
  private static long refusals(
      RunningServer server, String protocol, RequestException.Kind reason) {
    Traffic traffic = Objects.requireNonNull(server.server().service().traffic().get(protocol));
    assertThat(traffic.refusals()).isEqualTo(traffic.refusals(reason));
    assertThat(traffic.closings(Traffic.Closing.REJECTED)).isEqualTo(traffic.refusals());
    return traffic.refusals(reason);
  }

  private static boolean isLetIn(RunningServer server) {
    try (RawClient client = server.connect()) {
      return client.send("QUIT\r\n").line().equals("+OK");
    }
  }

  @Test
  void anOldConnectionEndsAfterAnAnswer() {
    try (RunningServer server =
            RunningServer.start(
                "http", HttpProtocol::new, time, "limits: {connection-age: 1m, idle: 1h}");
        RawClient client = server.connect()) {
      assertThat(head(client)).doesNotContain("connection: close");
      time.advance(Duration.ofSeconds(61));
      String head = "";
      while (!head.contains("connection: close")) {
        head = head(client);
      }
      assertThat(client.rest()).isEmpty();
    }
  }

  /** Returns the head of the answer to a request. */
  private static String head(RawClient client) {
    client.send(HEAD);
    StringBuilder head = new StringBuilder();
    for (String line = client.line(); !line.isEmpty(); line = client.line()) {
      head.append(line).append('\n');
    }
    return head.toString();
  }

  @Test
  void anOldConnectionThatIsIdleEndsToo() {
    try (RunningServer server =
            RunningServer.start(
                "redis", RedisProtocol::new, time, "limits: {connection-age: 1m, idle: 1h}");
        RawClient client = server.connect()) {
      client.send("PING\r\n").expect("+PONG\r\n");
      time.advance(Duration.ofSeconds(61));
      assertThat(client.rest()).isEmpty();
    }
  }
}
