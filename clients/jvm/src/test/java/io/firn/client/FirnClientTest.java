package io.firn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpServer;
import io.firn.GeneratorClosedException;
import io.firn.WaitInterruptedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client without a server; {@code FirstPartyClientsTest} of the server has it with some. */
@Timeout(120)
final class FirnClientTest {

  private static final URI DOWN = URI.create("http://127.0.0.1:1");

  private static FirnClient.Builder builder() {
    return FirnClient.builder(List.of(DOWN), "orders");
  }

  @Test
  void refusesAddressesThatAreNotOfHttp() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(), "orders"))
        .withMessage("servers: none (expected: at least one address)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(URI.create("redis://a:1")), "orders"))
        .withMessage("servers: redis://a:1 (expected: http://HOST:PORT or https://HOST:PORT)");
  }

  @Test
  void anAddressThatIsGivenTwiceIsOneServer() {
    try (FirnClient client =
        FirnClient.builder(List.of(DOWN, DOWN), "orders").maxWait(Duration.ZERO).build()) {
      assertThatExceptionOfType(IdsUnavailableException.class)
          .isThrownBy(client::nextId)
          .satisfies(e -> assertThat(e.failures()).containsOnlyKeys(DOWN.toString()));
    }
  }

  @Test
  void refusesATokenThatNoHeaderTakesWithoutShowingIt() {
    for (String token : List.of("the-secret\n", "the secret", "the-sécret", "")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder().token(token))
          .withMessage("token: not shown (expected: visible ASCII characters)");
    }
    builder().token("the-secret").build().close();
  }

  @Test
  void refusesABlankNamespace() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FirnClient.builder(List.of(DOWN), " "))
        .withMessage("namespace: blank (expected: a name)");
  }

  @Test
  void refusesABatchBeyondItsRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().batch(0))
        .withMessage("batch: 0 (expected: 1..10000)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().batch(10_001))
        .withMessage("batch: 10001 (expected: 1..10000)");
    builder().batch(1);
    builder().batch(FirnClient.MAX_BATCH);
  }

  @Test
  void refusesAMaximumAgeThatABatchHasOnArrival() {
    Duration timeout = Duration.ofMillis(500);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().timeout(timeout).maxAge(Duration.ofMillis(999)).build())
        .withMessage("maxAge: PT0.999S (expected: at least twice the timeout, PT0.5S)");
    builder().timeout(timeout).maxAge(Duration.ofSeconds(1)).build().close();
  }

  @Test
  void namesTheFailureOfAServerThatIsDown() {
    try (FirnClient client = builder().maxWait(Duration.ofMillis(300)).build()) {
      assertThatExceptionOfType(IdsUnavailableException.class)
          .isThrownBy(client::nextId)
          .satisfies(e -> assertThat(e.failures()).containsOnlyKeys(DOWN.toString()))
          .withMessageContaining("Namespace orders has no ID after ")
          .withMessageContaining("http://127.0.0.1:1: ");
    }
  }

  @Test
  void asksABusyServerAgainWhenItSays() throws IOException {
    List<Long> asked = new CopyOnWriteArrayList<>();
    HttpServer server = server();
    server.createContext(
        "/",
        exchange -> {
          asked.add(System.nanoTime());
          boolean busy = asked.size() == 1;
          if (busy) {
            exchange.getResponseHeaders().set("Retry-After", "1");
          }
          byte[] body = (asked.size() + "\n").getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(busy ? 429 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    try (FirnClient client =
        FirnClient.builder(List.of(address(server)), "orders")
            .batch(1)
            .maxWait(Duration.ofMinutes(1))
            .build()) {
      assertThat(client.nextId()).isEqualTo(2);
      assertThat(asked.get(1) - asked.get(0)).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aNamespaceIsOneSegmentOfThePath() throws IOException {
    List<String> asked = new CopyOnWriteArrayList<>();
    HttpServer server = server();
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().toString());
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    try (FirnClient client =
        FirnClient.builder(List.of(address(server).resolve("/")), "a b+c/ü").batch(1).build()) {
      assertThatExceptionOfType(IdsUnavailableException.class).isThrownBy(client::nextId);
      assertThat(asked.get(0)).isEqualTo("/v1/ids/a%20b%2Bc%2F%C3%BC?count=1");
    } finally {
      server.stop(0);
    }
  }

  /** The last number of an answer that was cut may be the beginning of another one. */
  @Test
  void issuesNothingOfAnAnswerThatWasCut() throws IOException {
    HttpServer server = server();
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("100\n10".getBytes(StandardCharsets.US_ASCII));
          exchange.close();
        });
    try (FirnClient client =
        FirnClient.builder(List.of(address(server)), "orders")
            .batch(2)
            .maxWait(Duration.ofSeconds(1))
            .build()) {
      assertThatExceptionOfType(IdsUnavailableException.class).isThrownBy(client::nextId);
    } finally {
      server.stop(0);
    }
  }

  private static HttpServer server() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    return server;
  }

  private static URI address(HttpServer server) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Test
  void anInterruptedCallEnds() {
    try (FirnClient client = builder().maxWait(Duration.ofHours(1)).build()) {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(WaitInterruptedException.class).isThrownBy(client::nextId);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aClosedClientSaysSo() {
    FirnClient client = builder().build();
    client.close();
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(client::nextId);
    assertThat(client).hasToString("FirnClient[orders of http://127.0.0.1:1]");
  }
}
