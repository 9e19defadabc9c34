package io.firn.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Attacks by clients without a token on a server in a process of its own, with the settings and the
 * memory of the systemd unit. Other clients are answered all the time, and the process ends when it
 * is told to.
 */
@Timeout(600)
final class AttackProcessTest {

  private static final String TOKEN = "a-token-of-the-victim";

  /** What the Kubernetes manifest grants. */
  private static final long MAX_RESIDENT_KB = 256 << 10;

  private static final Pattern JVM_OPTIONS = Pattern.compile("ExecStart=\\S*java (.*) -jar ");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  @TempDir private Path directory;

  /**
   * What each of many connections sends, without reading anything.
   *
   * @param connections how many there are
   * @param http whether they go to the port of HTTP, or to that of the Redis protocol
   * @param bytes sent as far as the server takes them at once
   */
  private record Attack(String name, int connections, boolean http, String bytes) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Attack> attacks() {
    return Stream.of(
        new Attack(
            "long lines, then silence",
            Sizes.deep(2_500, 3_500),
            false,
            "PING " + "x".repeat(60_000) + "\r\n"),
        new Attack(
            "many arguments, then silence",
            Sizes.deep(500, 3_500),
            false,
            "*1024\r\n$4\r\nPING\r\n" + "$1\r\nx\r\n".repeat(1023)),
        new Attack(
            "requests that are never complete",
            Sizes.deep(2_500, 3_500),
            false,
            "*2\r\n$4\r\nPING\r\n$65000\r\n" + "x".repeat(60_000)),
        new Attack(
            "answers that are never read",
            Sizes.deep(800, 2_000),
            true,
            "GET /console/uplot.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300)),
        new Attack(
            "thousands of short headers",
            Sizes.deep(500, 2_000),
            true,
            "GET /livez HTTP/1.1\r\n" + "a:\r\n".repeat(15_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void costTheAttackersOnly(Attack attack) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    try (FirnServer server =
        FirnServer.start(jvmOptionsOfUnit(), List.of("--store=memory:", "--token-file=" + token))) {
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      AtomicBoolean over = new AtomicBoolean();
      List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
      TestThreads victims = new TestThreads();
      victims.start(() -> askRedis(server.address(), over, nanos));
      victims.start(() -> askHttp(server.httpAddress(), over, nanos));
      List<SocketChannel> attackers = attack(server, attack);
      int before = nanos.size();
      while (nanos.size() < before + 200 && process.isAlive()) {
        Thread.sleep(10);
      }
      long residentKb = residentKb(process);
      over.set(true);
      victims.join();
      report(attack, nanos, residentKb);
      assertThat(residentKb).as("resident memory").isLessThan(MAX_RESIDENT_KB);
      process.destroy();
      process.onExit().get(60, TimeUnit.SECONDS);
      for (SocketChannel attacker : attackers) {
        attacker.close();
      }
    }
  }

  private static List<String> jvmOptionsOfUnit() throws IOException {
    String unit = Files.readString(Path.of("..", "docs", "operating", "firn.service"));
    Matcher options = JVM_OPTIONS.matcher(unit);
    assertThat(options.find()).isTrue();
    List<String> all = List.of(options.group(1).split(" ", -1));
    assertThat(all).contains("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");
    return all;
  }

  private static List<SocketChannel> attack(FirnServer server, Attack attack) throws IOException {
    InetSocketAddress address = attack.http() ? server.httpAddress() : server.address();
    List<SocketChannel> attackers = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(attack.bytes().getBytes(ISO_8859_1));
    for (int i = 0; i < attack.connections(); i++) {
      try {
        SocketChannel attacker = SocketChannel.open(address);
        attackers.add(attacker);
        attacker.configureBlocking(false);
        attacker.write(bytes.rewind());
      } catch (IOException e) {
        // disconnected
      }
    }
    return attackers;
  }

  private static void askRedis(InetSocketAddress address, AtomicBoolean over, List<Long> nanos)
      throws InterruptedException {
    while (!over.get()) {
      try (RawClient client = new RawClient(address)) {
        client.send("AUTH " + TOKEN + "\r\n").expect("+OK\r\n");
        for (int i = 0; i < 50; i++) {
          long begin = System.nanoTime();
          assertThat(client.send("INCR default\r\n").line()).startsWith(":");
          nanos.add(System.nanoTime() - begin);
          Thread.sleep(2);
        }
      }
    }
  }

  private static void askHttp(InetSocketAddress address, AtomicBoolean over, List<Long> nanos)
      throws InterruptedException {
    String request =
        "GET /v1/ids/default HTTP/1.1\r\n"
            + "Host: localhost\r\n"
            + "Connection: close\r\n"
            + "Authorization: Bearer "
            + TOKEN
            + "\r\n\r\n";
    while (!over.get()) {
      try (RawClient client = new RawClient(address)) {
        long begin = System.nanoTime();
        assertThat(client.send(request).rest()).startsWith("HTTP/1.1 200 ");
        nanos.add(System.nanoTime() - begin);
        Thread.sleep(2);
      }
    }
  }

  private static long residentKb(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.exists(status)) {
      return 0;
    }
    Matcher resident = RESIDENT.matcher(Files.readString(status));
    return resident.find() ? Long.parseLong(resident.group(1)) : 0;
  }

  private static void report(Attack attack, List<Long> nanos, long residentKb) {
    if (Sizes.isDeep()) {
      List<Long> sorted = nanos.stream().sorted().toList();
      long p99 = sorted.get((int) (0.99 * (sorted.size() - 1)));
      System.getLogger(AttackProcessTest.class.getName())
          .log(
              System.Logger.Level.INFO,
              "{0} connections, {1}: {2} answers to others, p99 {3} us; resident memory {4} MB",
              attack.connections(),
              attack,
              sorted.size(),
              TimeUnit.NANOSECONDS.toMicros(p99),
              residentKb >> 10);
    }
  }
}
