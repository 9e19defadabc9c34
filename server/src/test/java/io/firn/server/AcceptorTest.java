package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Sources;
import io.firn.server.http.HttpProtocol;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of what is served while the loops of all clients are busy. */
@Timeout(60)
final class AcceptorTest {

  /** More than a listener accepts at once, and fewer than the system has wait. */
  private static final int WAITING = 100;

  /** Of whom a loop takes no half in a few rounds of turns. */
  private static final int STRANGERS = 500;

  /** Requests of a stranger: all of them take the loop longer than a test takes to look. */
  private static final int MANY = 20;

  private static final String TOKEN = "a-token-of-a-client";

  private static final String GET = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static final String GET_WITH_TOKEN =
      "GET /v1/layouts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n";

  private static Server start(String admin) {
    return start(Map.of("--listen-admin", admin, "--limits-connections", "1"));
  }

  private static Server start(Map<String, String> more) {
    Map<String, String> flags = new HashMap<>(more);
    flags.put("--listen-http", "127.0.0.1:0");
    flags.put("--listen-redis", "off");
    flags.put("--listen-thrift", "off");
    flags.put("--drain", "0ms");
    Server server =
        Server.start(
            Sources.of(flags, Map.of(), "memory:").read(),
            TimeSource.system(),
            service -> List.of(new HttpProtocol(service), HttpProtocol.admin(service)));
    server.openNamespaces().join();
    return server;
  }

  @ParameterizedTest
  @CsvSource({"off, http", "127.0.0.1:0, admin"})
  void answersProbesWhileTheLoopsOfClientsAreBusy(String admin, String protocol) throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (Server server = start(admin);
        RawClient client = connect(server, "http")) {
      assertThat(client.send(GET.formatted("/v1/layouts")).line()).startsWith("HTTP/1.1 200 ");
      keepBusy(server, over);
      try {
        for (String probe : List.of("/livez", "/readyz", "/metrics")) {
          try (RawClient operator = connect(server, protocol)) {
            operator.socket().setSoTimeout(5_000);
            assertThat(operator.send(GET.formatted(probe)).line()).startsWith("HTTP/1.1 200 ");
          }
        }
      } finally {
        over.countDown();
      }
    }
  }

  @ParameterizedTest
  @EnabledIf("io.firn.server.TransportTest#hasEpoll")
  @CsvSource({"true, 200", "false, 503"})
  void aClientHasNoPlaceIfItLeavesBeforeItsLoopHasIt(boolean leaves, int status) throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (Server server = start("off")) {
      keepBusy(server, over);
      RawClient first = connect(server, "http");
      awaitAccepted(server, 1);
      if (leaves) {
        first.socket().setSoLinger(true, 0);
        first.close();
      }
      try (RawClient second = connect(server, "http")) {
        second.send(GET.formatted("/v1/ids/default"));
        awaitAccepted(server, 2);
        over.countDown();
        assertThat(second.line()).startsWith("HTTP/1.1 " + status);
      }
      first.close();
    } finally {
      over.countDown();
    }
  }

  /**
   * Nothing but its address tells a client that opens a connection for each request from others.
   * More IDs than the namespace has in a millisecond come later, by a timer.
   */
  @ParameterizedTest
  @ValueSource(strings = {"/v1/layouts", "/v1/ids/default?count=10000"})
  void aClientOfAKnownAddressHasALoopWithoutStrangers(String path, @TempDir Path directory)
      throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (Server server = startWithToken(directory)) {
      try (RawClient client = connect(server, "http")) {
        assertThat(client.send(GET_WITH_TOKEN).line()).startsWith("HTTP/1.1 200 ");
      }
      keepBusy(server, over);
      try (RawClient client = connect(server, "http")) {
        client.socket().setSoTimeout(10_000);
        String request = GET_WITH_TOKEN.replace("/v1/layouts", path);
        assertThat(client.send(request).line()).startsWith("HTTP/1.1 200 ");
      }
    } finally {
      over.countDown();
    }
  }

  /** Their loop finds the sockets of all of them ready, that of the client last. */
  @Test
  @EnabledIf("io.firn.server.TransportTest#hasEpoll")
  void aRequestDoesNotWaitForThoseOfStrangersThatCameBefore(@TempDir Path directory)
      throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<SocketChannel> strangers = new ArrayList<>();
    try (Server server = startWithToken(directory);
        RawClient client = connect(server, "http")) {
      for (int i = 0; i < STRANGERS; i++) {
        strangers.add(Strangers.connectFrom(i, address(server, "http")));
      }
      send(strangers, 1);
      for (SocketChannel stranger : strangers) {
        stranger.configureBlocking(true);
        assertThat(stranger.read(ByteBuffer.allocate(10_000))).isPositive();
        stranger.configureBlocking(false);
      }
      String answer = client.send(GET_WITH_TOKEN).line();
      while (!answer.isEmpty()) {
        answer = client.line();
      }
      int rest = client.available();
      assertThat(client.receive(rest)).hasSize(rest);
      keepBusy(server, over);
      send(strangers, MANY);
      client.send(GET_WITH_TOKEN);
      over.countDown();
      assertThat(client.line()).startsWith("HTTP/1.1 200 ");
      assertThat(strangers.get(STRANGERS - 1).read(ByteBuffer.allocate(1))).isZero();
    } finally {
      over.countDown();
      close(strangers);
    }
  }

  private static Server startWithToken(Path directory) throws IOException {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    return start(Map.of("--token-file", token.toString()));
  }

  private static void send(List<SocketChannel> strangers, int requests) throws IOException {
    byte[] bytes = GET.formatted("/v1/layouts").repeat(requests).getBytes(US_ASCII);
    for (SocketChannel stranger : strangers) {
      stranger.write(ByteBuffer.wrap(bytes));
    }
  }

  private static void close(List<SocketChannel> strangers) throws IOException {
    for (SocketChannel stranger : strangers) {
      stranger.close();
    }
  }

  /** It cannot answer what the server would compute, for a millisecond each. */
  @Test
  @EnabledIf("io.firn.server.TransportTest#hasEpoll")
  void noHandshakeIsComputedForAClientThatHasEndedWithItsHello(@TempDir Path directory)
      throws Exception {
    PemFiles files = new PemFiles(directory, "firn");
    Map<String, String> flags =
        Map.of(
            "--tls-certificate", files.certificate().toString(),
            "--tls-key", files.key().toString());
    CountDownLatch over = new CountDownLatch(1);
    try (Server server = start(flags)) {
      keepBusy(server, over);
      try (RawClient client = connect(server, "http")) {
        client.send(Hellos.withKeyShares(1));
        client.socket().shutdownOutput();
        awaitAccepted(server, 1);
        over.countDown();
        assertThat(client.rest()).isEmpty();
      }
    } finally {
      over.countDown();
    }
  }

  private static void awaitAccepted(Server server, long count) throws InterruptedException {
    while (traffic(server).accepted() < count) {
      Thread.sleep(10);
    }
  }

  private static Traffic traffic(Server server) {
    return Objects.requireNonNull(server.service().traffic().get("http"));
  }

  /** A loop that ends takes no more turns. */
  @Test
  void aConnectionThatWaitsForItsLoopIsClosedWhenTheServerStops() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    Server server = start("off");
    keepBusy(server, over);
    try (RawClient client = connect(server, "http");
        RawClient operator = connect(server, "http")) {
      // The acceptor has both, one after the other.
      assertThat(operator.send(GET.formatted("/livez")).line()).startsWith("HTTP/1.1 200 ");
      server.close();
      over.countDown();
      client.socket().setSoTimeout(5_000);
      assertThat(client.rest()).isIn("", "reset");
    } finally {
      over.countDown();
      server.close();
    }
  }

  /** The system has connected these clients, and the acceptor has had no time for them. */
  @Test
  void clientsThatWaitAreAcceptedBeforeTheListenerCloses() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<RawClient> clients = new ArrayList<>();
    Server server = start("off");
    try {
      keepBusy(server.service().loops().acceptor(), over);
      for (int i = 0; i < WAITING; i++) {
        clients.add(connect(server, "http"));
      }
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      while (server.service().namespaces().outage().isEmpty()) {
        Thread.sleep(10);
      }
      Thread.sleep(200); // it begins to close the listener
      over.countDown();
      closing.join();
      assertThat(traffic(server).accepted()).isEqualTo(WAITING);
    } finally {
      over.countDown();
      server.close();
      clients.forEach(RawClient::close);
    }
  }

  private static RawClient connect(Server server, String protocol) {
    return new RawClient(address(server, protocol));
  }

  private static InetSocketAddress address(Server server, String protocol) {
    return Objects.requireNonNull(server.addresses().get(protocol));
  }

  /** Gives each loop a task that takes until the latch opens. */
  private static void keepBusy(Server server, CountDownLatch over) throws InterruptedException {
    for (EventExecutor loop : server.service().loops().group()) {
      keepBusy(loop, over);
    }
  }

  private static void keepBusy(EventExecutor loop, CountDownLatch over)
      throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    loop.execute(
        () -> {
          begun.countDown();
          awaitQuietly(over);
        });
    begun.await();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
