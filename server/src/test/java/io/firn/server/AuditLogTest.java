package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.http.HttpProtocol;
import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.LogLines;
import io.firn.testkit.ManualTimeSource;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the contents of the audit log. */
@Timeout(60)
final class AuditLogTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
  private final LogLines lines = new LogLines("io.firn.audit");

  @AfterEach
  void stopListening() {
    lines.close();
  }

  @Test
  void hasTheFirstConnectionThatIsClosedForItsMemory() throws Exception {
    AuditLog log = new AuditLog(time);
    for (int host = 1; host <= 2; host++) {
      log.closedForMemory(InetAddress.getByName("127.0.0." + host), 16_777_216);
    }
    time.advance(Duration.ofNanos(AuditLog.PERIOD_NANOS));
    log.flush();
    assertThat(lines.messages())
        .containsExactly(
            "closed a connection of 127.0.0.1, because all clients held more than 16777216 bytes of"
                + " requests and answers",
            "closed a connection, because all clients held too much: 1 more within a minute");
  }

  @Test
  void hasTheFirstWrongTokenOfAnAddressAtOnceAndTheOthersOnceAMinute() throws Exception {
    AuditLog log = new AuditLog(time);
    InetAddress first = InetAddress.getByName("192.0.2.1");
    InetAddress second = InetAddress.getByName("2001:db8::1");
    for (int i = 0; i < 1000; i++) {
      log.wrongToken(first);
    }
    log.wrongToken(second);
    time.advance(Duration.ofSeconds(59));
    log.flush();
    assertThat(lines.messages())
        .containsExactly("wrong token from 192.0.2.1", "wrong token from 2001:db8:0:0:0:0:0:1");
    time.advance(Duration.ofSeconds(1));
    log.flush();
    assertThat(lines.messages())
        .hasSize(3)
        .endsWith("wrong token from 192.0.2.1: 999 more within a minute");
    time.advance(Duration.ofMinutes(1));
    log.flush();
    log.wrongToken(first);
    assertThat(lines.messages()).hasSize(4).endsWith("wrong token from 192.0.2.1");
  }

  @Test
  void hasAReloadWithoutTokens(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    String with = "{store: 'memory:', token-file: " + token + "}";
    String without = "store: 'memory:'";
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new, with)) {
      CurrentConfig current = server.server().service().current();
      current.readFrom(() -> RunningServer.config("redis", without));
      current.reload();
      current.reload();
    }
    assertThat(lines.messages())
        .containsExactly(
            "The configuration has no tokens any more; clients need none from now on",
            "configuration reloaded",
            "configuration reloaded");
  }

  @Test
  void hasAReloadWithoutCertificatesOfClients(@TempDir Path directory) throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    String store = "store: 'memory:'";
    String tokens = "token-file: " + token;
    String with = files.yaml().replace("}", ", client-ca: " + files.certificate() + "}");
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, time, store, with, tokens)) {
      CurrentConfig current = server.server().service().current();
      current.readFrom(() -> RunningServer.config("redis", store, files.yaml(), tokens));
      current.reload();
      current.readFrom(() -> RunningServer.config("redis", store, with));
      current.reload();
      current.readFrom(() -> RunningServer.config("redis", store, files.yaml()));
      current.reload();
      current.reload();
    }
    assertThat(lines.messages())
        .containsExactly(
            "The configuration has no tls.client-ca any more; clients need no certificate from now"
                + " on",
            "configuration reloaded",
            "The configuration has no tokens any more; clients need none from now on",
            "configuration reloaded",
            "The configuration has no tls.client-ca any more, and no tokens; clients need no"
                + " certificate and no token from now on",
            "configuration reloaded",
            "configuration reloaded");
  }

  @Test
  void isNotNeededToCloseIdleConnections() throws Exception {
    Handler failing =
        new Handler() {
          @Override
          public void publish(LogRecord event) {
            if (event.getMessage().endsWith(" more within a minute")) {
              throw new IllegalStateException("the log cannot be written");
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.firn.audit");
    logger.addHandler(failing);
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, time, "limits: {idle: 1h}")) {
      AuditLog audit = server.server().service().audit();
      audit.wrongToken(InetAddress.getLoopbackAddress());
      audit.wrongToken(InetAddress.getLoopbackAddress());
      time.advance(Duration.ofMinutes(1));
      while (lines.messages().stream()
          .noneMatch(event -> event.endsWith(" more within a minute"))) {
        Thread.sleep(1);
      }
      try (RawClient idle = server.connect()) { // by the thread that could not write the log
        idle.send("PING\r\n").expect("+PONG\r\n");
        while (idle(server) == 0) {
          time.advance(Duration.ofHours(2));
          Thread.sleep(10);
        }
        assertThat(idle.rest()).isEmpty();
      }
    } finally {
      logger.removeHandler(failing);
    }
  }

  private static long idle(RunningServer server) {
    Traffic traffic = Objects.requireNonNull(server.server().service().traffic().get("redis"));
    return traffic.closings(Traffic.Closing.IDLE);
  }

  @Test
  void limitsTheNumberOfAddressesWithALine() throws Exception {
    AuditLog log = new AuditLog(time);
    for (int i = 0; i < 2 * AuditLog.MAX_ADDRESSES; i++) {
      log.wrongToken(InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i}));
    }
    assertThat(lines.messages()).hasSize(AuditLog.MAX_ADDRESSES);
  }

  @Test
  void hasClientsWithoutACertificateOfTheAuthority(@TempDir Path directory) throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    PemFiles other = new PemFiles(Files.createDirectory(directory.resolve("other")), "other");
    String yaml = files.yaml().replace("}", ", client-ca: " + files.certificate() + "}");
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new, time, yaml)) {
      assertThat(isAccepted(server, files.keyManagers())).isTrue();
      assertThat(isAccepted(server, new KeyManager[0])).isFalse();
      while (lines.messages().isEmpty()) {
        Thread.sleep(1);
      }
      assertThat(isAccepted(server, other.keyManagers())).isFalse();
      while (lines.messages().size()
          < 2) { // the loop of that connection may not have recorded it yet
        time.advance(Duration.ofMinutes(1));
        Thread.sleep(100);
      }
    }
    assertThat(lines.messages().get(0)) // since JDK 21 with the alert before it
        .matches("failed TLS handshake from 127.0.0.1: (\\(certificate_required\\) )?Empty .*");
    assertThat(lines.messages().get(1)).startsWith("failed TLS handshake from 127.0.0.1: ");
  }

  private static boolean isAccepted(RunningServer server, KeyManager[] managers) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    InetSocketAddress address = server.address();
    try (RawClient client =
        new RawClient(
            context.getSocketFactory().createSocket(address.getAddress(), address.getPort()))) {
      return client.send("PING\r\n").line().equals("+PONG");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  @Test
  void hasRedisClientsWithoutAToken(@TempDir Path directory) throws Exception {
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, time, tokenIn(directory));
        RawClient client = server.connect()) {
      client.send("INCR default\r\n").expect("-NOAUTH Authentication required.\r\n");
      client.send("HELLO 3\r\n");
      assertThat(client.line()).startsWith("-NOAUTH HELLO ");
      client.send("AUTH a-token-for-all-of-it\r\n").expect("+OK\r\n");
      client.send("INCR default\r\n").line();
      assertThat(lines.messages()).containsExactly("no token from 127.0.0.1");
      time.advance(Duration.ofMinutes(1));
      server.server().service().audit().flush();
      assertThat(lines.messages())
          .containsExactly(
              "no token from 127.0.0.1", "no token from 127.0.0.1: 1 more within a minute");
    }
  }

  @Test
  void hasHttpClientsWithoutATokenAndNoProbes(@TempDir Path directory) throws Exception {
    try (RunningServer server =
        RunningServer.start("http", HttpProtocol::new, time, tokenIn(directory))) {
      assertThat(status(server, "/livez")).isEqualTo(200);
      assertThat(status(server, "/readyz")).isEqualTo(200);
      assertThat(lines.messages()).isEmpty();
      assertThat(status(server, "/tinyid/id/nextId?bizType=default&token=wrong")).isEqualTo(401);
      assertThat(lines.messages()).containsExactly("wrong token from 127.0.0.1");
      assertThat(status(server, "/v1/ids/default")).isEqualTo(401);
      assertThat(status(server, "/metrics")).isEqualTo(401);
      assertThat(lines.messages())
          .containsExactly("wrong token from 127.0.0.1", "no token from 127.0.0.1");
    }
  }

  private static String tokenIn(Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    return "{legacy-routes: on, token-file: " + token + "}";
  }

  private static int status(RunningServer server, String path) throws Exception {
    try (RawClient client = server.connect()) {
      String answer = client.send("GET " + path + " HTTP/1.0\r\n\r\n").rest();
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  @Test
  void hasWhatClientsOfAServerDo(@TempDir Path directory) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "a-token-for-all-of-it");
    try (RunningServer server =
            RunningServer.start(
                "redis", RedisProtocol::new, "tokens: {ops: {file: " + token + "}}");
        RawClient client = server.connect()) {
      client.send("AUTH wrong\r\n").line();
      client.send("AUTH a-token-for-all-of-it\r\n").expect("+OK\r\n");
      client.send("INCR default\r\n").line();
      client.send("INCR refunds\r\n").line();
    }
    assertThat(lines.messages())
        .containsExactly("wrong token from 127.0.0.1", "namespace refunds opened for token ops");
  }

  @Test
  void hasANamespaceOfAClientOnceItIsOpen(@TempDir Path directory) throws Exception {
    Path obstacle = Files.createDirectory(directory.resolve("refunds+layout.register"));
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, "store: 'file:" + directory + "'");
        RawClient client = server.connect()) {
      client.send("INCR refunds\r\n");
      assertThat(client.line()).startsWith("-").contains(" could not read ");
      assertThat(lines.messages()).isEmpty();
      Files.delete(obstacle);
      while (client.send("INCR refunds\r\n").line().startsWith("-")) {
        Thread.sleep(10);
      }
    }
    assertThat(lines.messages()).containsExactly("namespace refunds opened for token anonymous");
  }
}
