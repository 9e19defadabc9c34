package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testservers.FirnServer;
import io.firn.testservers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the speed of the server, as a second process on loopback, beside its peers in the same
 * run: for each round one after the other, so that whatever else the machine does meets all alike.
 * Prints medians over rounds. Part of the deep build only, because short rounds show nothing;
 * {@code -Dfirn.rounds=5 -Dfirn.millis=2000} makes it a measurement.
 */
@EnabledIf("io.firn.testkit.Sizes#isDeep")
@Timeout(900)
class ServerSpeedTest {

  private static final int ROUNDS = Integer.getInteger("firn.rounds", 1);
  private static final Duration TIME = Duration.ofMillis(Integer.getInteger("firn.millis", 200));
  private static final List<String> JVM = List.of("-XX:+UseSerialGC");

  /** 262 million IDs a second: the layout is not what is measured. */
  private static final String WIDE = "--defaults-layout=41t+4w+18s@2026-01-01T00:00:00Z/1ms";

  private static final String STORE = "--store=memory:";
  private static final int CONNECTIONS = 50;
  private static final byte[] INCR = resp("INCR", "default");
  private static final byte[] HTTP =
      "GET /v1/ids/default HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII);

  private static byte[] resp(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return text.toString().getBytes(US_ASCII);
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  @Test
  void incrementsBesideRedis() throws Exception {
    try (RedisServer redis = RedisServer.start();
        FirnServer firn = FirnServer.start(JVM, List.of(STORE, WIDE))) {
      say(redis.address(), resp("SET", "default", "1000000000000000000")); // answers as long as IDs
      for (int pipeline : new int[] {1, 16, 64}) {
        try (ClosedLoop theirs = new ClosedLoop(redis.address(), CONNECTIONS, INCR, pipeline);
            ClosedLoop ours = new ClosedLoop(firn.address(), CONNECTIONS, INCR, pipeline)) {
          Rates rates = Rates.of(ours, theirs);
          print(
              "INCR, %d connections, pipeline %2d: Firn %,.0f, Redis %,.0f a second, %.2f times",
              CONNECTIONS, pipeline, rates.ours(), rates.theirs(), rates.ratio());
          assertThat(rates.ours()).isPositive();
        }
      }
    }
  }

  /**
   * What a million commands cost the server, in CPU time: a load generator that takes more than the
   * servers then changes nothing. {@code -Dfirn.matrix=true} takes numbers of connections and
   * namespaces up to ten thousand.
   */
  @Test
  void incrementsCostCpuBesideRedis(@TempDir Path directory) throws Exception {
    boolean matrix = Boolean.getBoolean("firn.matrix");
    for (int namespaces : matrix ? new int[] {1, 100, 10_000} : new int[] {1}) {
      Path config = Files.writeString(directory.resolve("firn.yaml"), config(namespaces));
      try (RedisServer redis = RedisServer.start();
          FirnServer firn = FirnServer.start(JVM, List.of(STORE, WIDE, "--config=" + config))) {
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < namespaces; i++) {
          requests.add(resp("INCR", key(i)));
          say(redis.address(), resp("SET", key(i), "1000000000000000000"));
        }
        int[] connections =
            !matrix
                ? new int[] {CONNECTIONS}
                : namespaces == 1 ? new int[] {1, 100, 9_000} : new int[] {100};
        for (int each : connections) {
          for (int pipeline : each > 1_000 ? new int[] {1, 16} : new int[] {1, 16, 64}) {
            compareCosts(redis, firn, each, namespaces, requests, pipeline);
          }
        }
      }
    }
  }

  private static String key(int namespace) {
    return String.format(Locale.ROOT, "n%05d", namespace);
  }

  private static String config(int namespaces) {
    StringBuilder text = new StringBuilder("limits:\n  namespaces: 20000\nnamespaces:\n");
    for (int i = 0; i < namespaces; i++) {
      text.append("  ").append(key(i)).append(":\n    window: 30s\n");
    }
    return text.toString();
  }

  private static void compareCosts(
      RedisServer redis,
      FirnServer firn,
      int connections,
      int namespaces,
      List<byte[]> requests,
      int pipeline)
      throws IOException {
    double[][] seconds = new double[3][ROUNDS];
    try (ClosedLoop ours = new ClosedLoop(firn.address(), connections, requests, pipeline);
        ClosedLoop theirs = new ClosedLoop(redis.address(), connections, requests, pipeline)) {
      Measured here = new Measured(ours, firn.pid());
      Measured there =
          new Measured(theirs, ServerCpu.listeningAt(redis.port()).orElseThrow().pid());
      ours.run(TIME.multipliedBy(2)); // to warm up
      theirs.run(TIME);
      for (int i = 0; i < ROUNDS; i++) {
        seconds[0][i] = 1e6 / here.answersPerCpuSecond();
        seconds[1][i] = 1e6 / there.answersPerCpuSecond();
        seconds[2][i] = seconds[0][i] / seconds[1][i];
      }
    }
    Arrays.sort(seconds[2]);
    print(
        "INCR, %,d connections, %,d namespaces, pipeline %2d: Firn %.2f, Redis %.2f s of CPU per"
            + " million, %.2f times (%.2f–%.2f)",
        connections,
        namespaces,
        pipeline,
        median(seconds[0]),
        median(seconds[1]),
        median(seconds[2]),
        seconds[2][0],
        seconds[2][ROUNDS - 1]);
    assertThat(median(seconds[0])).isPositive();
  }

  private static void say(InetSocketAddress server, byte[] command) throws IOException {
    try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
      socket.getOutputStream().write(command);
      assertThat(socket.getInputStream().read()).isEqualTo('+');
    }
  }

  /** Medians over rounds, of the ratio too. */
  private record Rates(double ours, double theirs, double ratio) {

    static Rates of(ClosedLoop ours, ClosedLoop theirs) throws IOException {
      ours.run(TIME); // to warm up
      theirs.run(TIME.dividedBy(2));
      double[][] rates = new double[3][ROUNDS];
      for (int i = 0; i < ROUNDS; i++) {
        rates[0][i] = ours.run(TIME);
        rates[1][i] = theirs.run(TIME);
        rates[2][i] = rates[0][i] / rates[1][i];
      }
      return new Rates(median(rates[0]), median(rates[1]), median(rates[2]));
    }
  }

  @Test
  void issuesManyAtOnce() throws Exception {
    byte[] next = resp("NEXT", "default", "COUNT", "1000");
    try (FirnServer firn = FirnServer.start(JVM, List.of(STORE, WIDE));
        ClosedLoop loop = new ClosedLoop(firn.address(), 4, next, 4)) {
      loop.run(TIME);
      double[] rates = new double[ROUNDS];
      for (int i = 0; i < ROUNDS; i++) {
        rates[i] = loop.run(TIME);
      }
      print("NEXT COUNT 1000: %.1f M IDs a second", median(rates) / 1000);
      assertThat(median(rates)).isPositive();
    }
  }

  @Test
  void answersHttpBesideBareNetty() throws Exception {
    int port = FreePort.next();
    Process peer = bareNetty(port);
    Thread killer = new Thread(peer::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    try (BufferedReader out = peer.inputReader();
        FirnServer firn = FirnServer.start(JVM, List.of(STORE, WIDE))) {
      assertThat(out.readLine()).isEqualTo("listening");
      InetSocketAddress bare = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      for (int pipeline : new int[] {1, 16}) {
        try (ClosedLoop ours = new ClosedLoop(firn.httpAddress(), CONNECTIONS, HTTP, pipeline);
            ClosedLoop theirs = new ClosedLoop(bare, CONNECTIONS, HTTP, pipeline)) {
          compareByCpu(pipeline, new Measured(ours, firn.pid()), new Measured(theirs, peer.pid()));
        }
      }
    } finally {
      peer.destroyForcibly().onExit().join();
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private static Process bareNetty(int port) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM);
    command.add("-Dio.netty.leakDetection.level=disabled"); // as the server has it
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BareNetty.class.getName(), "" + port));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** A server under load, and its process. */
  private record Measured(ClosedLoop loop, long pid) {

    /** Answers for each second that the server's process computes. */
    double answersPerCpuSecond() throws IOException {
      Duration before = cpu();
      double answers = loop.run(TIME) * TIME.toMillis() / 1000;
      return answers * 1e9 / cpu().minus(before).toNanos();
    }

    private Duration cpu() {
      return ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElseThrow();
    }
  }

  private static void compareByCpu(int pipeline, Measured ours, Measured theirs)
      throws IOException {
    ours.loop().run(TIME.multipliedBy(2)); // to warm up
    theirs.loop().run(TIME.multipliedBy(2));
    double[][] rates = new double[3][ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      rates[0][i] = ours.answersPerCpuSecond();
      rates[1][i] = theirs.answersPerCpuSecond();
      rates[2][i] = rates[0][i] / rates[1][i];
    }
    print(
        "GET /v1/ids/default, %d connections, pipeline %2d: Firn %,.0f, bare Netty %,.0f for each"
            + " second of CPU, %.2f times",
        CONNECTIONS, pipeline, median(rates[0]), median(rates[1]), median(rates[2]));
    assertThat(median(rates[0])).isPositive();
  }

  @Test
  void answersTenThousandASecondInTime() throws Exception {
    int rate = 10_000;
    try (RedisServer redis = RedisServer.start();
        FirnServer firn = FirnServer.start(JVM, List.of(STORE))) {
      say(redis.address(), resp("SET", "default", "1000000000000000000"));
      try (OpenLoop ours = new OpenLoop(firn.address(), CONNECTIONS, INCR);
          OpenLoop http = new OpenLoop(firn.httpAddress(), CONNECTIONS, HTTP);
          OpenLoop theirs = new OpenLoop(redis.address(), CONNECTIONS, INCR)) {
        ours.run(rate, TIME.multipliedBy(2)); // to warm up
        http.run(rate, TIME.multipliedBy(2));
        for (int i = 0; i < ROUNDS; i++) {
          printTimes("INCR, Firn ", ours.run(rate, TIME));
          printTimes("INCR, Redis", theirs.run(rate, TIME));
          printTimes("GET, Firn  ", http.run(rate, TIME));
        }
      }
    }
  }

  private static void printTimes(String what, Histogram micros) {
    print(
        "open loop, 10,000 a second, %s: p50 %.2f, p99 %.2f, p99.9 %.2f, worst %.2f ms",
        what,
        micros.getValueAtPercentile(50) / 1e3,
        micros.getValueAtPercentile(99) / 1e3,
        micros.getValueAtPercentile(99.9) / 1e3,
        micros.getMaxValue() / 1e3);
    assertThat(micros.getTotalCount()).isEqualTo(10 * TIME.toMillis());
  }

  /** From a class path of many jars, and without a class-data archive: the launcher has both. */
  @Test
  void answersSoonAfterItsStart() throws Exception {
    double[] millis = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      long begin = System.nanoTime();
      try (FirnServer firn = FirnServer.start(JVM, List.of(STORE));
          SocketChannel client = SocketChannel.open(firn.address())) {
        increment(client);
        millis[i] = (System.nanoTime() - begin) / 1e6;
      }
    }
    print("first ID %.0f ms after the start of java", median(millis));
    assertThat(median(millis)).isPositive();
  }

  /** In 64 MB of heap. */
  @Test
  void carriesTenThousandIdleConnections() throws Exception {
    try (FirnServer firn =
        FirnServer.start(List.of("-XX:+UseSerialGC", "-Xmx64m"), List.of(STORE))) {
      List<SocketChannel> idle = new ArrayList<>();
      try {
        while (idle.size() < 9_990) {
          idle.add(SocketChannel.open(firn.address()));
          increment(idle.get(idle.size() - 1));
        }
        for (SocketChannel each : idle.subList(0, 100)) {
          increment(each);
        }
        assertThat(ClosedLoop.answerBytes(firn.httpAddress(), HTTP)).isPositive();
      } finally {
        for (SocketChannel each : idle) {
          each.close();
        }
      }
    }
  }

  private static void increment(SocketChannel client) throws IOException {
    client.write(ByteBuffer.wrap(INCR));
    ByteBuffer answer = ByteBuffer.allocate(64);
    client.read(answer);
    assertThat(answer.get(0)).isEqualTo((byte) ':');
  }
}
