package io.firn.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.FirnServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Collectors of metrics that answer wrongly or never, and a server in a process of its own, with
 * the settings and the memory of the systemd unit. The server goes on, and ends within its grace.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class HostileCollectorTest {

  private static final String LINE = " WARNING io.firn.server The collector of otlp.url ";

  /** The grace and a second. */
  private static final long MAX_STOP_MILLIS = 6_000;

  /** Answers a request, and returns when the connection may be closed. */
  @FunctionalInterface
  private interface Answer {
    void send(Socket client) throws IOException, InterruptedException;
  }

  /** A collector at a socket of its own, with a thread for each connection. */
  private static final class Collector implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final AtomicInteger cutOff = new AtomicInteger();
    private final Answer answer;

    Collector(Answer answer) throws IOException {
      this.answer = answer;
      start(this::accept);
    }

    private static void start(Runnable work) {
      Thread thread = new Thread(work, "collector");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = socket.accept();
          clients.add(client);
          start(() -> serve(client));
        }
      } catch (IOException e) {
        // closed
      }
    }

    private void serve(Socket client) {
      try (client) {
        readRequest(client);
        answer.send(client);
      } catch (IOException e) {
        cutOff.incrementAndGet();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void readRequest(Socket client) throws IOException {
      DataInputStream in = new DataInputStream(client.getInputStream());
      int bytes = 0;
      String line = line(in);
      paths.add(line.split(" ", -1)[1]);
      while (!line.isEmpty()) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
          bytes = Integer.parseInt(line.substring("content-length: ".length()));
        }
        line = line(in);
      }
      in.readFully(new byte[bytes]);
    }

    private static String line(DataInputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      int next = in.readUnsignedByte();
      while (next != '\n') {
        line.append((char) next);
        next = in.readUnsignedByte();
      }
      return line.toString().strip();
    }

    FirnServer startServer() throws IOException {
      return FirnServer.start(
          UnderAttackProcessTest.jvmOptionsOfUnit(),
          List.of(
              "--store=memory:",
              "--otlp-url=http://127.0.0.1:" + socket.getLocalPort() + "/v1/metrics",
              "--otlp-period=1s"));
    }

    void awaitRequests(int count, FirnServer server) throws InterruptedException {
      while (paths.size() < count && isAlive(server)) {
        Thread.sleep(10);
      }
    }

    void awaitCutOff(FirnServer server) throws InterruptedException {
      while (cutOff.get() == 0 && isAlive(server)) {
        Thread.sleep(10);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static boolean isAlive(FirnServer server) {
    return !server.output().contains("OutOfMemoryError");
  }

  /** Sends the text again and again, until the client closes the connection. */
  private static void sendForever(Socket client, String text) throws IOException {
    OutputStream out = client.getOutputStream();
    byte[] bytes = text.repeat(1_000).getBytes(ISO_8859_1);
    while (true) {
      out.write(bytes);
    }
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static void reply(Socket client, String status, String text) throws IOException {
    String length = "\r\nContent-Length: " + text.length();
    send(client, "HTTP/1.1 " + status + length + "\r\nConnection: close\r\n\r\n" + text);
  }

  private static void assertServes(FirnServer server) {
    try (RawClient client = new RawClient(server.address())) {
      assertThat(client.send("INCR default\r\n").line()).startsWith(":");
    }
  }

  private static void assertStops(FirnServer server) throws InterruptedException {
    long asked = System.nanoTime();
    assertThat(server.stop()).isZero();
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked))
        .isLessThan(MAX_STOP_MILLIS);
  }

  private static void awaitLine(FirnServer server, String text) throws InterruptedException {
    while (!server.output().contains(LINE + text)) {
      Thread.sleep(10);
    }
  }

  @Test
  void aBodyWithoutEndIsNotRead() throws Exception {
    try (Collector collector =
            new Collector(
                client -> {
                  send(client, "HTTP/1.1 200 OK\r\n\r\n");
                  sendForever(client, "x");
                });
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      collector.awaitCutOff(server);
      assertServes(server);
      assertStops(server);
    }
  }

  @Test
  void headersWithoutEndAreNotKept() throws Exception {
    try (Collector collector =
            new Collector(
                client -> {
                  send(client, "HTTP/1.1 200 OK\r\n");
                  sendForever(client, "name: " + "x".repeat(100) + "\r\n");
                });
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      assertServes(server);
      awaitLine(server, "did not accept the metrics: ");
      assertStops(server);
    }
  }

  @Test
  void anAnswerThatTricklesIsCutOff() throws Exception {
    try (Collector collector =
            new Collector(
                client -> {
                  send(client, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
                  while (true) {
                    send(client, "x");
                    Thread.sleep(100);
                  }
                });
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(1, server);
      long begin = System.nanoTime();
      collector.awaitCutOff(server);
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)).isBetween(8L, 20L);
      awaitLine(server, "did not complete its answer within 10 s");
      assertServes(server);
      collector.awaitRequests(2, server);
      assertStops(server);
    }
  }

  @Test
  void noAnswerIsAwaitedForTenSeconds() throws Exception {
    try (Collector collector =
            new Collector(client -> assertThat(client.getInputStream().read()).isNegative());
        FirnServer server = collector.startServer()) {
      awaitLine(server, "did not complete its answer within 10 s");
      assertServes(server);
      collector.awaitRequests(2, server);
      assertStops(server);
    }
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    try (Collector collector =
            new Collector(client -> reply(client, "302 Found\r\nLocation: /elsewhere", ""));
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      assertThat(collector.paths).containsOnly("/v1/metrics");
      awaitLine(server, "did not accept the metrics: status 302");
      assertStops(server);
    }
  }

  @Test
  void aConnectionThatIsResetIsLoggedOnce() throws Exception {
    try (Collector collector = new Collector(client -> client.setSoLinger(true, 0));
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      awaitLine(server, "did not accept the metrics: ");
      assertServes(server);
      assertThat(server.output().lines().filter(line -> line.contains("collector"))).hasSize(1);
      assertStops(server);
    }
  }

  @Test
  void aFailureWithAnotherTextEachTimeIsLoggedOnce() throws Exception {
    AtomicInteger answers = new AtomicInteger();
    try (Collector collector =
            new Collector(
                client -> {
                  String text = "request {0} '" + "x".repeat(1 + answers.getAndIncrement());
                  reply(client, "503 Busy", text);
                });
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      awaitLine(server, "did not accept the metrics: status 503, request {0} 'x");
      assertThat(server.output().lines().filter(line -> line.contains("collector"))).hasSize(1);
      assertStops(server);
    }
  }

  @Test
  void theTextOfAFailureIsShortenedToALine() throws Exception {
    String text = "no\n2026-11-21T12:00:00Z SEVERE \u001b[31mroom" + "x".repeat(10_000);
    try (Collector collector = new Collector(client -> reply(client, "500 No", text));
        FirnServer server = collector.startServer()) {
      collector.awaitRequests(4, server);
      awaitLine(server, "did not accept the metrics: ");
      assertThat(server.output()).doesNotContain("\u001b").doesNotContain("Failed to publish");
      assertThat(server.output().lines().filter(line -> line.contains("room")))
          .singleElement()
          .asString()
          .hasSizeLessThan(400)
          .contains("status 500, no 2026-11-21T12:00:00Z SEVERE  [31mroomxxx");
      assertStops(server);
    }
  }
}
