package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A server under half of the load that it bears beside its clients, which keep every ID: none comes
 * twice, no request fails, and its memory stays as it is. Seconds, unless {@code -Dfirn.soak=PT10M}
 * says how long; {@code -Dfirn.soak.load=0.1} is a tenth of the load instead of half.
 */
class SoakTest {

  private static final Duration TIME =
      Duration.parse(System.getProperty("firn.soak", Sizes.isDeep() ? "PT4S" : "PT2S"));

  private static final double LOAD =
      Double.parseDouble(System.getProperty("firn.soak.load", "0.5"));

  /** Shorter, and the JVM itself is still growing. */
  private static final Duration LEAST_TO_JUDGE = Duration.ofMinutes(2);

  /** Minutes, where there are as many. */
  private static final int PERIODS = (int) Math.max(4, TIME.toMinutes());

  private static final int SAMPLES_OF_PERIOD = 30;

  /** The part of the time in which the clients measure their speed. */
  private static final int FULL_SHARE = 20;

  private static final long MAX_MORE_KILOBYTES = 8 << 10;
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]+) kB");
  private static final Pattern HEAP =
      Pattern.compile("jvm_memory_used_bytes\\{area=\"heap\",id=\"[^\"]+\"} ([0-9.E]+)");

  private static final String INCR = "*2\r\n$4\r\nINCR\r\n$7\r\ndefault\r\n";
  private static final String NEXT = "NEXT default COUNT 1000\r\n";
  private static final String GET =
      "GET /v1/ids/default?count=100 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

  @Test
  void issuesNothingTwiceInMemoryThatStaysAsItIs() throws Exception {
    List<String> jvm = List.of("-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");
    try (FirnServer firn = FirnServer.start(jvm, List.of("--store=memory:"));
        IdHistory history = new IdHistory(5, 64L << 20)) {
      SoakClient.Answers redis = SoakClient.Answers.none();
      SoakClient.Answers http = SoakClient.Answers.none();
      InetSocketAddress redisPort = firn.address();
      List<SoakClient> clients = new ArrayList<>();
      for (SoakClient.Request each :
          List.of(
              new SoakClient.Request(redisPort, INCR.repeat(16), 16),
              new SoakClient.Request(redisPort, INCR.repeat(64), 64),
              new SoakClient.Request(redisPort, NEXT, 1000),
              new SoakClient.Request(firn.httpAddress(), GET, 100),
              new SoakClient.Request(firn.httpAddress(), GET, 100))) {
        clients.add(
            new SoakClient(
                each, each.server().equals(redisPort) ? redis : http, history.newWriter()));
      }
      List<CompletableFuture<Void>> ends =
          clients.stream().map(each -> each.start(TIME.dividedBy(FULL_SHARE), LOAD)).toList();
      List<Period> periods = new ArrayList<>();
      System.out.println(Period.HEADS);
      for (int i = 0; i < PERIODS; i++) {
        Period period = Period.measure(firn, redis, http);
        System.out.println(period.row(i + 1));
        periods.add(period);
      }
      clients.forEach(SoakClient::end);
      ends.forEach(CompletableFuture::join);
      judge(history.finish(), periods);
    }
  }

  private static void judge(IdHistory.Report report, List<Period> periods) {
    System.out.println(
        String.format(
            Locale.ROOT,
            "soak of %s: %,d IDs, %,.0f a second, %d twice",
            TIME,
            report.count(),
            report.count() * 1e9 / TIME.toNanos(),
            report.duplicates()));
    assertThat(report.duplicates()).as(report::toString).isZero();
    assertThat(report.disorders()).isZero();
    assertThat(report.count()).isPositive();
    assertThat(periods).allMatch(period -> period.failures() == 0, "no failed request");
    if (TIME.compareTo(LEAST_TO_JUDGE) >= 0) {
      Memory early = periods.get(PERIODS / 4).memory();
      Memory late = periods.get(PERIODS - 1).memory();
      assertThat(late.residentKilobytes() - early.residentKilobytes())
          .isLessThan(MAX_MORE_KILOBYTES);
      assertThat(late.heapKilobytes() - early.heapKilobytes()).isLessThan(MAX_MORE_KILOBYTES);
    }
  }

  /** What was measured in a part of the time. */
  private record Period(
      double idsPerSecond, double redisMillis, double httpMillis, long failures, Memory memory) {

    static final String HEADS =
        "| part | IDs a second | p99 Redis | p99 HTTP | failed | process, heap |\n"
            + "|--:|--:|--:|--:|--:|--:|";

    static Period measure(FirnServer server, SoakClient.Answers redis, SoakClient.Answers http)
        throws IOException {
      long begin = System.nanoTime();
      Memory memory = Memory.during(TIME.dividedBy(PERIODS), server);
      double seconds = (System.nanoTime() - begin) / 1e9;
      return new Period(
          (redis.ids().sumThenReset() + http.ids().sumThenReset()) / seconds,
          p99Millis(redis),
          p99Millis(http),
          redis.failures().sumThenReset() + http.failures().sumThenReset(),
          memory);
    }

    private static double p99Millis(SoakClient.Answers answers) {
      return answers.micros().getIntervalHistogram().getValueAtPercentile(99) / 1000.0;
    }

    String row(int number) {
      return String.format(
          Locale.ROOT,
          "| %d | %,.0f | %.2f ms | %.2f ms | %d | %s |",
          number,
          idsPerSecond,
          redisMillis,
          httpMillis,
          failures,
          memory);
    }
  }

  /**
   * The memory that a server used during a while.
   *
   * @param residentKilobytes of its process, at most
   * @param heapKilobytes in use at least, which is when garbage had just been collected
   */
  private record Memory(long residentKilobytes, long heapKilobytes) {

    static Memory during(Duration time, FirnServer server) throws IOException {
      long resident = 0;
      long heap = Long.MAX_VALUE;
      for (int i = 0; i < SAMPLES_OF_PERIOD; i++) {
        LockSupport.parkNanos(time.toNanos() / SAMPLES_OF_PERIOD);
        Memory now = of(server);
        resident = Math.max(resident, now.residentKilobytes());
        heap = Math.min(heap, now.heapKilobytes());
      }
      return new Memory(resident, heap);
    }

    private static Memory of(FirnServer server) throws IOException {
      String status = Files.readString(Path.of("/proc", "" + server.pid(), "status"));
      double heap = 0;
      Matcher pools = HEAP.matcher(metrics(server));
      while (pools.find()) {
        heap += Double.parseDouble(pools.group(1));
      }
      return new Memory((long) number(RESIDENT, status), (long) (heap / 1024));
    }

    private static double number(Pattern pattern, String text) {
      Matcher found = pattern.matcher(text);
      assertThat(found.find()).as(text).isTrue();
      return Double.parseDouble(found.group(1));
    }

    private static String metrics(FirnServer server) throws IOException {
      try (Socket socket = SoakClient.connect(server.httpAddress())) {
        socket.getOutputStream().write("GET /metrics HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
      }
    }

    @Override
    public String toString() {
      return residentKilobytes / 1024 + " MB, heap " + heapKilobytes / 1024 + " MB";
    }
  }
}
