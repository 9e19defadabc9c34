package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.testkit.ManualTimeSource;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the cost of one client is limited, and that others are not slowed down. */
@Timeout(60)
final class RedisLimitsTest {

  private static RunningServer start(String limits) {
    return RunningServer.start("redis", RedisProtocol::new, "limits: {" + limits + "}");
  }

  @Test
  void letsInAsManyAsPermittedAndNoMore() {
    try (RunningServer server = start("connections: 2, request-time: 10m");
        RawClient first = server.connect()) {
      first.send("PING\r\n").expect("+PONG\r\n");
      try (RawClient second = server.connect()) {
        second.send("PING\r\n").expect("+PONG\r\n");
        assertThat(server.connect().rest())
            .isEqualTo(
                "-TRYAGAIN Too many connections: this server has 2, its limit (limits.connections)\r\n");
      }
      String answer = "";
      while (!answer.equals("+PONG")) { // until the server has seen that the second is gone
        try (RawClient another = server.connect()) {
          answer = another.send("PING\r\n").line();
        }
      }
    }
  }

  /** The system permits fewer open files than there might be connections. */
  @Test
  void configAndInfoHaveTheSameLimitOfConnections() {
    try (RunningServer server = start("connections: 1000000");
        RawClient client = server.connect()) {
      client.send("CONFIG GET maxclients\r\n").expect("*2\r\n$10\r\nmaxclients\r\n");
      assertThat(client.line()).startsWith("$");
      String limit = client.line();
      assertThat(client.send("INFO clients\r\nQUIT\r\n").rest())
          .contains("\r\nmaxclients:" + limit + "\r\n");
    }
  }

  /** Most clients send before they read. */
  @Test
  void tellsAClientWhyThatSendsFirst() {
    try (RunningServer server = start("connections: 1, request-time: 10m");
        RawClient first = server.connect()) {
      first.send("PING\r\n").expect("+PONG\r\n");
      for (int i = 0; i < 100; i++) {
        try (RawClient second = server.connect()) {
          for (int sent = 0; sent < 10; sent++) {
            second.send("PING\r\n");
          }
          assertThat(second.rest()).startsWith("-TRYAGAIN Too many connections: ").endsWith("\r\n");
        }
      }
    }
  }

  @Test
  void refusesABulkStringOfTwoGigabytesAtItsHeader() {
    try (RunningServer server = start("request-size: 1024");
        RawClient client = server.connect()) {
      assertThat(client.send("*2\r\n$4\r\nECHO\r\n$2147483647\r\n").rest())
          .isEqualTo(
              "-ERR Protocol error: invalid bulk length (expected: at most 1024 bytes in a"
                  + " request)\r\n");
    }
  }

  @Test
  void closesTheConnectionThatWaitsLongestToLetAnotherIn() {
    try (RunningServer server = start("connections: 2, request-time: 200ms");
        RawClient first = server.connect();
        RawClient second = server.connect()) {
      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
      while (!isLetIn(server)) {
        Thread.onSpinWait();
      }
      assertThat(first.rest()).isIn("", "reset");
    }
  }

  private static boolean isLetIn(RunningServer server) {
    try (RawClient client = server.connect()) {
      return client.send("PING\r\n").receive(7).equals("+PONG\r\n");
    } catch (UncheckedIOException e) {
      return false; // reset
    }
  }

  @Test
  void refusesEndlessNesting() {
    try (RunningServer server = start("");
        RawClient client = server.connect()) {
      assertThat(client.send("*1\r\n".repeat(100_000)).receive(50))
          .startsWith("-ERR Protocol error: expected '$', got '*'");
    }
  }

  @Test
  void disconnectsAClientThatSendsNothingButEmptyCommands() {
    try (RunningServer server = start("");
        RawClient client = server.connect()) {
      client.send("*0\r\n\r\n".repeat(500)).send("PING\r\n").expect("+PONG\r\n");
      assertThat(client.send("*0\r\n\r\n".repeat(513)).rest())
          .startsWith("-ERR Protocol error: too many empty commands");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1024})
  void answersAPipelineOfAnyLengthInTurns(int depth) {
    try (RunningServer server = start("pipeline: " + depth);
        RawClient client = server.connect()) {
      for (int length : new int[] {depth - 1, depth, depth + 1, 5 * depth}) {
        client.send("PING\r\n".repeat(length)).expect("+PONG\r\n".repeat(length));
        client.send("*2\r\n$4\r\nINCR\r\n$1\r\na\r\n".repeat(length));
        for (int i = 0; i < length; i++) {
          assertThat(client.line()).startsWith(":");
        }
      }
    }
  }

  /** A layout with 4 IDs a second has 40 in the time that a request may wait. */
  @Test
  void repeatsOfACommandAreAnsweredAsEachAloneIs() {
    String layout = "a: {layout: '41t+10w+2s@2026-01-01T00:00:00Z/1s'}";
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, "namespaces: {" + layout + "}");
        RawClient client = server.connect()) {
      assertThat(client.send("INCR a\r\n").line()).startsWith(":");
      client.send("*2\r\n$4\r\nINCR\r\n$1\r\na\r\n".repeat(100));
      for (int i = 0; i < 8; i++) {
        assertThat(client.line()).startsWith(":");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "*2\r\n$4\r\nINCR\r\n$6\r\nord", "INCR orders"})
  void endsAConnectionThatStopsInTheMiddleOfARequest(String half) {
    try (RunningServer server = start("request-time: 200ms");
        RawClient client = server.connect();
        RawClient other = server.connect()) {
      other.send("PING\r\n").expect("+PONG\r\n");
      long begin = System.nanoTime();
      assertThat(client.send("PING\r\n" + half).rest()).isEqualTo("+PONG\r\n");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(199));
      other.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  /** Slowloris: something comes all the time, and never all of it. */
  @Test
  void endsAConnectionWhoseRequestComesTooSlowly() {
    try (RunningServer server = start("request-time: 200ms, request-size: 16MiB");
        RawClient client = server.connect()) {
      CompletableFuture<String> rest = CompletableFuture.supplyAsync(client::rest);
      client.send("*1\r\n$16000000\r\n");
      while (!rest.isDone()) {
        try {
          client.send("x");
          Thread.onSpinWait();
        } catch (java.io.UncheckedIOException e) {
          break; // it was ended
        }
      }
      assertThat(rest.join()).isIn("", "reset");
    }
  }

  @Test
  void endsAConnectionThatAsksNothing() {
    try (RunningServer server = start("idle: 1s");
        RawClient client = server.connect()) {
      long begin = System.nanoTime();
      assertThat(client.rest()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(999));
    }
  }

  @Test
  void permitsATokenItsRateAndNoMore() {
    ManualTimeSource time = new ManualTimeSource(java.time.Instant.parse("2026-11-21T12:00:00Z"));
    try (RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, time, "limits: {rate: 10}");
        RawClient client = server.connect()) {
      client.send("NEXT a COUNT 9\r\n").expect("*9\r\n");
      for (int i = 0; i < 9; i++) {
        client.line();
      }
      assertThat(client.send("INCR a\r\n").line()).startsWith(":");
      String refused = "-TRYAGAIN rate: 1 more (expected: at most 10 IDs a second)\r\n";
      client.send("INCR a\r\n").expect(refused);
      time.advance(Duration.ofMillis(200));
      client.send("*2\r\n$4\r\nINCR\r\n$1\r\na\r\n".repeat(3));
      assertThat(client.line()).startsWith(":");
      assertThat(client.line()).startsWith(":");
      client.expect(refused);
    }
  }

  /** A client that asks and never reads holds one answer above the water mark, and its socket's. */
  @Test
  void stopsReadingFromAClientThatDoesNotRead() throws Exception {
    try (RunningServer server = start("");
        SocketChannel client = SocketChannel.open();
        RawClient other = server.connect()) {
      client.setOption(StandardSocketOptions.SO_RCVBUF, 16 << 10);
      client.connect(server.address());
      client.configureBlocking(false);
      String command = "ECHO " + "x".repeat(993) + "\r\n";
      ByteBuffer commands = ByteBuffer.wrap(command.repeat(20_000).getBytes(ISO_8859_1));
      sendUntilNothingIsTaken(client, commands);
      assertThat(commands.position()).isLessThan(commands.limit());
      other.send("PING\r\n").expect("+PONG\r\n");
      client.configureBlocking(true);
      CompletableFuture<Void> rest = CompletableFuture.runAsync(() -> sendRest(client, commands));
      assertThat(countAnswers(client)).isEqualTo(20_000);
      rest.join();
    }
  }

  private static void sendUntilNothingIsTaken(SocketChannel client, ByteBuffer bytes)
      throws Exception {
    long last = System.nanoTime();
    while (bytes.hasRemaining() && System.nanoTime() - last < 500_000_000) {
      if (client.write(bytes) > 0) {
        last = System.nanoTime();
      }
    }
  }

  private static void sendRest(SocketChannel client, ByteBuffer bytes) {
    try {
      client.write(bytes);
      client.write(ByteBuffer.wrap("QUIT\r\n".getBytes(ISO_8859_1)));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static long countAnswers(SocketChannel client) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
    long answers = 0;
    while (client.read(bytes.clear()) >= 0) {
      for (int i = 0; i < bytes.position(); i++) {
        answers += bytes.get(i) == '$' ? 1 : 0;
      }
    }
    return answers;
  }
}
