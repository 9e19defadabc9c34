package io.firn.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks by clients without a token on a server in a process of its own, with the settings and the
 * memory of the systemd unit. Other clients are answered all the time, and the process ends when it
 * is told to.
 */
@Tag("alone")
@Timeout(600)
final class UnderAttackProcessTest {

  private static final String TOKEN = "a-token-of-the-victim";

  /** The goal for the p99 of others: so many times its figure without an attack, or 20 ms. */
  private static final long MAX_VICTIM_RATIO = 5;

  private static final long MAX_VICTIM_MICROS = 20_000;

  /** The answers after which a server is as fast as one that has run for a while. */
  private static final int WARM_UP = 3_000;

  /** Three quarters of the 384 MB that the Kubernetes manifest grants. */
  private static final long MAX_RESIDENT_KB = 288 << 10;

  /** What clients ask, and those who watch the server. */
  private static final List<String> IDS = List.of("/v1/ids/default");

  private static final List<String> HEALTH = List.of("/livez", "/readyz", "/metrics");

  private static final Pattern JVM_OPTIONS = Pattern.compile("ExecStart=\\S*java (.*) -jar ");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  @TempDir private static Path directory;

  private static @Nullable PemFiles pemFiles;

  private static @Nullable SSLContext trustingAll;

  private enum Port {
    REDIS,
    HTTP,
    REDIS_WITH_TLS,
    HTTP_WITH_TLS,
    THRIFT,
    ADMIN;

    boolean hasTls() {
      return this == REDIS_WITH_TLS || this == HTTP_WITH_TLS;
    }

    /** Returns a port that the same server has: one has TLS on all ports, or on none. */
    Port server() {
      return switch (this) {
        case REDIS, HTTP -> HTTP;
        case REDIS_WITH_TLS, HTTP_WITH_TLS -> HTTP_WITH_TLS;
        case THRIFT, ADMIN -> this;
      };
    }
  }

  /**
   * The bytes that each of many connections sends without reading anything.
   *
   * @param connections how many there are
   * @param port where they go
   * @param bytes sent as far as the server takes them at once
   * @param rest sent when all connections have sent those
   */
  private record Attack(String name, int connections, Port port, String bytes, String rest) {

    Attack(String name, int connections, Port port, String bytes) {
      this(name, connections, port, bytes, "");
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Returns the attacks on each server: one in the deep build, otherwise those that one can get.
   */
  static Stream<List<Attack>> attacks() throws Exception {
    if (Sizes.isDeep()) {
      return allAttacks().map(List::of);
    }
    Map<Port, List<Attack>> byServer = new EnumMap<>(Port.class);
    allAttacks()
        .forEach(
            attack ->
                byServer
                    .computeIfAbsent(attack.port().server(), unused -> new ArrayList<>())
                    .add(attack));
    return byServer.values().stream();
  }

  private static Stream<Attack> allAttacks() throws Exception {
    return Stream.of(
        new Attack("nothing at all", Sizes.deep(2_500, 11_000), Port.REDIS, ""),
        new Attack(
            "TLS records that are never complete",
            Sizes.deep(1_200, 5_000),
            Port.REDIS_WITH_TLS,
            "\26\3\1\100\0\1" + "x".repeat(16_000)),
        new Attack(
            "TLS messages that are never complete",
            Sizes.deep(3_600, 5_000),
            Port.REDIS_WITH_TLS,
            "\26\3\1\37\100\1\0\177\124"
                + "x".repeat(7_996)
                + "\26\3\1\37\100"
                + "x".repeat(8_000)),
        new Attack(
            "TLS handshakes that are never finished",
            Sizes.deep(250, 3_000),
            Port.REDIS_WITH_TLS,
            clientHello()),
        new Attack(
            "TLS hellos with thousands of key shares",
            Sizes.deep(200, 700),
            Port.REDIS_WITH_TLS,
            new String(Hellos.withKeyShares(16_000), ISO_8859_1)),
        new Attack(
            "long lines, then silence",
            Sizes.deep(2_500, 3_500),
            Port.REDIS,
            "PING " + "x".repeat(60_000) + "\r\n"),
        new Attack(
            "many arguments, then silence",
            Sizes.deep(500, 3_500),
            Port.REDIS,
            "*1024\r\n$4\r\nPING\r\n" + "$1\r\nx\r\n".repeat(1023)),
        new Attack(
            "requests that are never complete",
            Sizes.deep(2_500, 3_500),
            Port.REDIS,
            "*2\r\n$4\r\nPING\r\n$16000\r\n" + "x".repeat(15_900)),
        new Attack(
            "long lines whose ends come together",
            Sizes.deep(1_000, 4_000),
            Port.REDIS,
            "ECHO " + "x".repeat(4_000),
            "x".repeat(56_000) + "\r\n"),
        new Attack(
            "bodies whose ends come together",
            Sizes.deep(1_000, 4_000),
            Port.HTTP,
            "POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
                + "x".repeat(8_000),
            "x".repeat(52_000)),
        new Attack(
            "answers that are never read",
            Sizes.deep(800, 2_000),
            Port.HTTP,
            "GET /console/uplot.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300)),
        new Attack(
            "answers over TLS that are never read",
            Sizes.deep(40, 200),
            Port.HTTP_WITH_TLS,
            "GET /console/uplot.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200)),
        new Attack(
            "thousands of short headers",
            Sizes.deep(500, 2_000),
            Port.HTTP,
            "GET /livez HTTP/1.1\r\n" + "a:\r\n".repeat(15_000)),
        new Attack(
            "short headers of bodies that never come",
            Sizes.deep(1_000, 9_000),
            Port.HTTP,
            "POST /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                + "a:b\r\n".repeat(98)
                + "\r\n"),
        new Attack(
            "short headers after bodies, without an end",
            Sizes.deep(1_000, 4_500),
            Port.HTTP,
            "POST /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                + "a:b\r\n".repeat(95)
                + "\r\n0\r\n"
                + "a:b\r\n".repeat(98)),
        new Attack(
            "bodies in chunks of a byte",
            Sizes.deep(50, 500),
            Port.HTTP,
            "POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\nx\r\n".repeat(65_000)),
        new Attack(
            "long lists of types that are accepted",
            Sizes.deep(2_000, 3_500),
            Port.HTTP,
            "GET /v1/layouts HTTP/1.1\r\nHost: localhost\r\nAccept: "
                + "a/b;q=0.1,".repeat(6_000)
                + "c/d\r\n\r\n"),
        new Attack(
            "wrong tokens",
            Sizes.deep(500, 3_500),
            Port.REDIS,
            "AUTH a-token-that-nobody-has\r\n".repeat(2_000)),
        new Attack(
            "frames that are never complete",
            Sizes.deep(2_500, 4_500),
            Port.THRIFT,
            "\0\0\352\140" + "x".repeat(59_000)),
        new Attack(
            "metrics that are never read, of 90 of the 100 connections for operators",
            90,
            Port.ADMIN,
            ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + TOKEN
                    + "\r\n\r\n")
                .repeat(300)));
  }

  private static String clientHello() throws Exception {
    SSLEngine client = trustingAll().createSSLEngine();
    client.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
    client.wrap(ByteBuffer.allocate(0), hello);
    return new String(hello.array(), 0, hello.position(), ISO_8859_1);
  }

  /** The certificate is the test's own. Making a context takes longer than a connection. */
  private static SSLContext trustingAll() throws GeneralSecurityException {
    if (trustingAll == null) {
      trustingAll = SSLContext.getInstance("TLS");
      trustingAll.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    }
    return trustingAll;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void costTheAttackersOnly(List<Attack> attacks) throws Exception {
    Port port = attacks.get(0).port();
    InetSocketAddress other =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next());
    List<String> arguments = new ArrayList<>(List.of("--store=memory:"));
    if (port == Port.THRIFT) { // which carries no token
      arguments.add("--listen-thrift=127.0.0.1:" + other.getPort());
    } else {
      arguments.add("--token-file=" + Files.writeString(directory.resolve("token"), TOKEN));
    }
    if (port == Port.ADMIN) {
      arguments.add("--listen-admin=127.0.0.1:" + other.getPort());
    }
    if (port.hasTls()) {
      PemFiles files = pemFiles();
      arguments.add("--tls-certificate=" + files.certificate());
      arguments.add("--tls-key=" + files.key());
    }
    List<Closeable> attackers = new ArrayList<>();
    try (PinnedCores cores = PinnedCores.ofDeepRuns();
        FirnServer server = FirnServer.start(jvmOptionsOfUnit(), arguments)) {
      cores.giveFirst(server.pid());
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      AtomicBoolean over = new AtomicBoolean();
      List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
      Connector connector = port.hasTls() ? UnderAttackProcessTest::connectWithTls : RawClient::new;
      TestThreads victims = new TestThreads();
      victims.start(() -> askRedis(connector, server.address(), over, nanos));
      victims.start(() -> askHttp(connector, server.httpAddress(), IDS, over, nanos));
      InetSocketAddress health = port == Port.ADMIN ? other : server.httpAddress();
      victims.start(() -> askHttp(connector, health, HEALTH, over, nanos));
      awaitAnswers(nanos, Sizes.deep(0, WARM_UP), process);
      int beforeIdle = nanos.size();
      awaitAnswers(nanos, Sizes.deep(0, 500), process);
      int before = nanos.size();
      long residentKb = 0;
      for (Attack attack : attacks) {
        close(attackers);
        attackers.addAll(
            attack.port() == Port.HTTP_WITH_TLS
                ? attackWithTls(server.httpAddress(), attack)
                : attack(address(server, other, attack.port()), attack));
        awaitAnswers(nanos, Sizes.deep(200, 500), process);
        residentKb = residentKb(process);
        assertThat(residentKb).as("resident memory: " + attack).isLessThan(MAX_RESIDENT_KB);
      }
      over.set(true);
      victims.join();
      long asked = System.nanoTime();
      assertThat(server.stop()).as("exit code, 1 if it takes longer than it may").isZero();
      long stopMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked);
      report(
          attacks.get(0),
          p99Micros(nanos.subList(beforeIdle, before)),
          p99Micros(nanos.subList(before, nanos.size())),
          residentKb,
          stopMillis);
    } finally {
      close(attackers);
    }
  }

  private static void close(List<Closeable> attackers) throws IOException {
    for (Closeable attacker : attackers) {
      attacker.close();
    }
    attackers.clear();
  }

  /** Returns the same for all attacks: making keys takes a while. */
  private static PemFiles pemFiles() throws Exception {
    if (pemFiles == null) {
      pemFiles = new PemFiles(directory, "firn");
    }
    return pemFiles;
  }

  /** Connects a client that does not attack. */
  @FunctionalInterface
  private interface Connector {
    RawClient connect(InetSocketAddress address) throws Exception;
  }

  private static RawClient connectWithTls(InetSocketAddress address) throws Exception {
    return new RawClient(
        trustingAll().getSocketFactory().createSocket(address.getAddress(), address.getPort()));
  }

  private static void awaitAnswers(List<Long> nanos, int count, ProcessHandle process)
      throws InterruptedException {
    int before = nanos.size();
    while (nanos.size() < before + count && process.isAlive()) {
      Thread.sleep(10);
    }
  }

  static List<String> jvmOptionsOfUnit() throws IOException {
    String unit = Files.readString(Path.of("..", "docs", "operating", "firn.service"));
    Matcher options = JVM_OPTIONS.matcher(unit);
    assertThat(options.find()).isTrue();
    List<String> all = List.of(options.group(1).split(" ", -1));
    assertThat(all).contains("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");
    if (Sizes.isDeep()) {
      return all;
    }
    List<String> small = new ArrayList<>(all);
    small.add("-XX:TieredStopAtLevel=1"); // ends before the second compiler has paid for itself
    return small;
  }

  private static InetSocketAddress address(FirnServer server, InetSocketAddress other, Port port) {
    return switch (port) {
      case HTTP, HTTP_WITH_TLS -> server.httpAddress();
      case REDIS, REDIS_WITH_TLS -> server.address();
      case THRIFT, ADMIN -> other;
    };
  }

  private static List<SocketChannel> attack(InetSocketAddress address, Attack attack)
      throws IOException {
    List<SocketChannel> attackers = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(attack.bytes().getBytes(ISO_8859_1));
    for (int i = 0; i < attack.connections(); i++) {
      try {
        SocketChannel attacker = Strangers.connect(address, i);
        attackers.add(attacker);
        attacker.write(bytes.rewind());
      } catch (IOException e) {
        // disconnected
      }
    }
    ByteBuffer rest = ByteBuffer.wrap(attack.rest().getBytes(ISO_8859_1));
    for (SocketChannel attacker : attackers) {
      try {
        attacker.write(rest.rewind());
      } catch (IOException e) {
        // disconnected
      }
    }
    return attackers;
  }

  /** Finishes the handshakes, so that what follows is a request. */
  private static List<Socket> attackWithTls(InetSocketAddress address, Attack attack)
      throws Exception {
    SSLSocketFactory factory = trustingAll().getSocketFactory();
    List<Socket> attackers = new ArrayList<>();
    for (int i = 0; i < attack.connections(); i++) {
      try {
        Socket attacker = factory.createSocket(address.getAddress(), address.getPort());
        attackers.add(attacker);
        attacker.getOutputStream().write(attack.bytes().getBytes(ISO_8859_1));
      } catch (IOException e) {
        // disconnected
      }
    }
    return attackers;
  }

  /** Strangers open namespaces only as fast, and as many, as the server lets them. */
  @Test
  void unusedNamesTakeNothingFromOthers() throws Exception {
    List<String> arguments = List.of("--store=memory:");
    try (FirnServer server = FirnServer.start(jvmOptionsOfUnit(), arguments);
        RawClient victim = new RawClient(server.address())) {
      assertThat(victim.send("INCR default\r\n").line()).startsWith(":");
      List<String> answers = new ArrayList<>();
      try (RawClient stranger = new RawClient(server.address())) {
        for (int i = 0; i < Sizes.deep(400, 20_000); i++) {
          answers.add(stranger.send("INCR name" + i + "\r\n").line());
          assertThat(victim.send("INCR default\r\n").line()).startsWith(":");
        }
      }
      assertThat(answers).anyMatch(answer -> answer.startsWith("-TRYAGAIN Namespace name"));
      assertThat(answers).allMatch(answer -> answer.matches("(:[0-9]+|-TRYAGAIN Namespace .*)"));
      try (RawClient http = new RawClient(server.httpAddress())) {
        assertThat(http.send("GET /readyz HTTP/1.0\r\n\r\n").rest()).endsWith("ready\n");
      }
    }
  }

  /** Together they are larger than all that the server may hold. */
  @Test
  void longRequestsThatComeTogetherAreAllAnswered() throws Exception {
    byte[] request = ("ECHO " + "x".repeat(30_000) + "\r\n").getBytes(ISO_8859_1);
    try (FirnServer server = FirnServer.start(jvmOptionsOfUnit(), List.of("--store=memory:"))) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 800; i++) {
        clients.add(new RawClient(server.address()));
      }
      for (int round = 0; round < Sizes.deep(2, 10); round++) {
        clients.forEach(client -> client.send(request));
        for (RawClient client : clients) {
          assertThat(client.receive(30_010)).startsWith("$30000\r\nx").endsWith("x\r\n");
        }
      }
      clients.forEach(RawClient::close);
    }
  }

  /** Each stranger holds too little to be the largest, and all together more than the budget. */
  @Test
  void longRequestsAreAnsweredWhileStrangersHoldALittleEach() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    byte[] part = ("*2\r\n$4\r\nPING\r\n$16000\r\n" + "x".repeat(3_900)).getBytes(ISO_8859_1);
    byte[] request =
        ("POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Authorization: Bearer "
                + TOKEN
                + "\r\nContent-Length: 60000\r\n\r\n"
                + "x".repeat(60_000))
            .getBytes(ISO_8859_1);
    List<String> arguments = List.of("--store=memory:", "--token-file=" + token);
    try (FirnServer server = FirnServer.start(jvmOptionsOfUnit(), arguments)) {
      List<SocketChannel> strangers = new ArrayList<>();
      for (int i = 0; i < 4_500; i++) {
        strangers.add(Strangers.connectFrom(i, server.address()));
        strangers.get(i).write(ByteBuffer.wrap(part));
      }
      for (int i = 0; i < Sizes.deep(100, 1_000); i++) {
        try (RawClient client = new RawClient(server.httpAddress())) {
          assertThat(client.send(request).rest()).startsWith("HTTP/1.1 400 ");
        }
      }
      for (SocketChannel stranger : strangers) {
        stranger.close();
      }
    }
  }

  /**
   * The strangers send such requests as well, but not the ends of them, and together more than the
   * server may hold: it reads no more of them than it can keep.
   */
  @ParameterizedTest(name = "from {0} hosts")
  @ValueSource(ints = {250, 5_000})
  void longRequestsAreAnsweredWhileStrangersConnectAgain(int hosts) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    String head =
        "POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n";
    byte[] part = (head + "x".repeat(59_000)).getBytes(ISO_8859_1);
    String rest = "x".repeat(15_000);
    List<String> arguments = List.of("--store=memory:", "--token-file=" + token);
    try (FirnServer server = FirnServer.start(jvmOptionsOfUnit(), arguments);
        ReconnectingStrangers strangers =
            new ReconnectingStrangers(
                server.httpAddress(), hosts, Sizes.deep(3_000, 9_000), part)) {
      while (strangers.disconnected() == 0) {
        Thread.sleep(10);
      }
      for (int i = 0; i < Sizes.deep(4, 60); i++) {
        try (RawClient client = new RawClient(server.httpAddress())) {
          client.send(head + rest);
          for (int j = 0; j < 3; j++) {
            Thread.sleep(i % 2 * 70L); // every other client pauses
            client.send(rest);
          }
          assertThat(client.line()).startsWith("HTTP/1.1 401 ");
        }
      }
    }
  }

  private static void askRedis(
      Connector connector, InetSocketAddress address, AtomicBoolean over, List<Long> nanos)
      throws Exception {
    while (!over.get()) {
      try (RawClient client = connector.connect(address)) {
        client.send("AUTH default " + TOKEN + "\r\n").expect("+OK\r\n");
        for (int i = 0; i < 50; i++) {
          long begin = System.nanoTime();
          assertThat(client.send("INCR default\r\n").line()).startsWith(":");
          nanos.add(System.nanoTime() - begin);
          Thread.sleep(2);
        }
      }
    }
  }

  private static void askHttp(
      Connector connector,
      InetSocketAddress address,
      List<String> paths,
      AtomicBoolean over,
      List<Long> nanos)
      throws Exception {
    for (int i = 0; !over.get(); i++) {
      String request =
          "GET "
              + paths.get(i % paths.size())
              + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "
              + TOKEN
              + "\r\n\r\n";
      try (RawClient client = connector.connect(address)) {
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

  private static long p99Micros(List<Long> nanos) {
    List<Long> sorted = List.copyOf(nanos).stream().sorted().toList();
    return sorted.isEmpty()
        ? 0
        : TimeUnit.NANOSECONDS.toMicros(sorted.get((int) (0.99 * (sorted.size() - 1))));
  }

  private static void report(
      Attack attack, long idleMicros, long micros, long residentKb, long stopMillis) {
    if (Sizes.isDeep()) {
      boolean kept = micros <= Math.max(MAX_VICTIM_MICROS, MAX_VICTIM_RATIO * idleMicros);
      System.getLogger(UnderAttackProcessTest.class.getName())
          .log(
              System.Logger.Level.INFO,
              "{0} connections, {1}: p99 of the others {2} us, idle {3} us: {4};"
                  + " resident memory {5} MB; stopped in {6} ms",
              attack.connections(),
              attack,
              micros,
              idleMicros,
              kept ? "within the goal" : "ABOVE THE GOAL, 5 times the idle figure or 20 ms",
              residentKb >> 10,
              stopMillis);
    }
  }
}
