package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Sources;
import io.firn.server.http.HttpProtocol;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of what is served while the loops of all clients are busy. */
@Timeout(60)
final class AcceptorTest {

  private static final String GET = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static Server start(String admin) {
    return start(admin, "1");
  }

  private static Server start(String admin, String connections) {
    Map<String, String> flags =
        Map.of(
            "--listen-http", "127.0.0.1:0",
            "--listen-admin", admin,
            "--listen-redis", "off",
            "--listen-thrift", "off",
            "--drain", "0ms",
            "--limits-connections", connections);
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
  void clientsThatWaitToBeAcceptedAreServedBeforeAListenerCloses() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<RawClient> clients = new ArrayList<>();
    try (Server server = start("off", "1000")) {
      keepBusy(server.service().loops().acceptor(), over);
      for (int i = 0; i < 100; i++) {
        clients.add(connect(server, "http").send(GET.formatted("/v1/layouts")));
      }
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      while (server.service().namespaces().outage().isEmpty()) {
        Thread.sleep(10);
      }
      Thread.sleep(200); // closes the listeners meanwhile
      over.countDown();
      assertThat(clients)
          .extracting(client -> client.rest().lines().findFirst().orElse("closed"))
          .containsOnly("HTTP/1.1 200 OK");
      closing.join();
    } finally {
      over.countDown();
      clients.forEach(RawClient::close);
    }
  }

  private static RawClient connect(Server server, String protocol) {
    InetSocketAddress address = Objects.requireNonNull(server.addresses().get(protocol));
    return new RawClient(address);
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
