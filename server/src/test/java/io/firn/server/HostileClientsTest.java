package io.firn.server;

import static io.firn.server.AllProtocols.REQUEST;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The server disconnects up to twenty hostile clients at a time, and answers others meanwhile. */
@Timeout(300)
final class HostileClientsTest {

  private static final int CLIENTS = 20;
  private static final int POLITE_REQUESTS = 50;
  private static final long MAX_DIRECT_BYTES = 64 << 20;

  /**
   * The bytes that a client sends at once, and those that it repeats until it is disconnected.
   *
   * @param clients how many do it at a time
   */
  private record Attack(String name, int clients, String first, String then, Duration pause) {

    Attack(String name, String first, String then, Duration pause) {
      this(name, CLIENTS, first, then, pause);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final Duration NONE = Duration.ZERO;
  private static final Duration SLOWLY = Duration.ofMillis(20);

  private Server server;

  static Stream<Arguments> attacks() {
    return Stream.of(
        Arguments.of("http", half("http")),
        Arguments.of("redis", half("redis")),
        Arguments.of("thrift", half("thrift")),
        Arguments.of("http", new Attack("dribbles", "GET /", "x", SLOWLY)),
        Arguments.of("redis", new Attack("dribbles", "*1\r\n$9999\r\n", "x", SLOWLY)),
        Arguments.of("thrift", new Attack("dribbles", "\0\0\1\0", "x", SLOWLY)),
        Arguments.of(
            "http",
            new Attack(
                "announces 2 GB",
                "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2147483647\r\n\r\n",
                "x".repeat(1 << 16),
                NONE)),
        Arguments.of(
            "redis",
            new Attack(
                "announces 2 GB",
                "*2\r\n$4\r\nECHO\r\n$2147483647\r\n",
                "x".repeat(1 << 16),
                NONE)),
        Arguments.of(
            "thrift", new Attack("announces 2 GB", "\177\377\377\377", "x".repeat(1 << 16), NONE)),
        Arguments.of(
            "http",
            new Attack("nests", "GET / HTTP/1.1\r\n", "X: ((((((((\r\n".repeat(1000), NONE)),
        Arguments.of("redis", new Attack("nests", "", "*1\r\n".repeat(10_000), NONE)),
        Arguments.of(
            "thrift",
            new Attack(
                "nests",
                "\0\0\7\320" + REQUEST.get("thrift").substring(4, 22),
                "\14\0\1".repeat(2_000),
                NONE)),
        Arguments.of("http", new Attack("never reads", "", REQUEST.get("http").repeat(1000), NONE)),
        Arguments.of(
            "redis", new Attack("never reads", "", REQUEST.get("redis").repeat(1000), NONE)),
        Arguments.of(
            "thrift", new Attack("never reads", "", REQUEST.get("thrift").repeat(1000), NONE)),
        Arguments.of(
            "redis", new Attack("says nothing, often", "", "*0\r\n\r\n".repeat(10_000), NONE)),
        Arguments.of( // each is disconnected after a second of its own turns
            "http",
            new Attack(
                "says nothing, often",
                Sizes.deep(CLIENTS / 4, CLIENTS),
                "",
                "\r\n".repeat(20_000),
                NONE)),
        Arguments.of(
            "thrift", new Attack("sends empty calls", "", "\0\0\0\0".repeat(10_000), NONE)));
  }

  private static Attack half(String protocol) {
    String request = REQUEST.get(protocol);
    return new Attack("falls silent", request.substring(0, request.length() / 2), "", SLOWLY);
  }

  @BeforeEach
  void start() {
    server =
        AllProtocols.start(
            Map.of(
                "--drain", "0ms", "--limits-request-time", "1s", "--limits-request-size", "16KiB"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("attacks")
  void costTheirOwnConnectionsOnly(String protocol, Attack attack) throws InterruptedException {
    TestThreads threads = new TestThreads();
    List<RawClient> attackers = new ArrayList<>();
    for (int i = 0; i < attack.clients(); i++) {
      RawClient attacker = new RawClient(connect(server.addresses().get(protocol)));
      attackers.add(attacker);
      threads.start(() -> attackUntilCutOff(attacker, attack));
    }
    for (String each : REQUEST.keySet()) {
      askPolitely(each);
    }
    threads.join();
    attackers.forEach(RawClient::close);
    assertThat(directBytes()).isLessThan(MAX_DIRECT_BYTES);
    askPolitely(protocol);
  }

  /** With little room for answers that are not read. */
  private static Socket connect(InetSocketAddress address) {
    try {
      Socket socket = new Socket();
      socket.setReceiveBufferSize(4 << 10);
      socket.connect(address);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void attackUntilCutOff(RawClient client, Attack attack) {
    try {
      Socket socket = client.socket();
      client.send(attack.first());
      while (!isOver(socket, attack)) {
        client.send(attack.then());
      }
    } catch (UncheckedIOException | IOException e) {
      // disconnected
    }
  }

  /** One that does not pause does not look either, but its next bytes are not taken. */
  private static boolean isOver(Socket socket, Attack attack) throws IOException {
    if (attack.pause().isZero()) {
      return false;
    }
    socket.setSoTimeout((int) attack.pause().toMillis());
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  private void askPolitely(String protocol) {
    try (RawClient client = new RawClient(server.addresses().get(protocol))) {
      byte[] request = REQUEST.get(protocol).getBytes(ISO_8859_1);
      for (int i = 0; i < POLITE_REQUESTS; i++) {
        assertThat(answer(protocol, client.send(request))).matches("(?s):?[0-9]+|\0\0\0\36.{30}");
      }
    }
  }

  private static String answer(String protocol, RawClient client) {
    if (protocol.equals("thrift")) {
      return client.receive(34);
    }
    if (protocol.equals("http")) {
      assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
      String header;
      do {
        header = client.line();
      } while (!header.isEmpty());
    }
    return client.line();
  }

  private static long directBytes() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }
}
