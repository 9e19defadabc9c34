package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testservers.FirnServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
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
 * twice, and its memory stays as it is. Seconds, unless {@code -Dfirn.soak=PT10M} says how long.
 */
class SoakTest {

  private static final Duration TIME = Duration.parse(System.getProperty("firn.soak", "PT4S"));

  /** Shorter, and the JVM itself is still growing. */
  private static final Duration LEAST_TO_JUDGE = Duration.ofMinutes(2);

  private static final int QUARTERS = 4;
  private static final int SAMPLES_A_QUARTER = 30;
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
      List<Load> loads =
          List.of(
              new Load(firn.address(), INCR.repeat(16), 16, history.newWriter()),
              new Load(firn.address(), INCR.repeat(64), 64, history.newWriter()),
              new Load(firn.address(), NEXT, 1000, history.newWriter()),
              new Load(firn.httpAddress(), GET, 100, history.newWriter()),
              new Load(firn.httpAddress(), GET, 100, history.newWriter()));
      List<CompletableFuture<Void>> ends = loads.stream().map(Load::start).toList();
      List<Memory> quarters = new ArrayList<>();
      for (int i = 0; i < QUARTERS; i++) {
        quarters.add(quarter(firn));
      }
      loads.forEach(load -> load.ending = true);
      ends.forEach(CompletableFuture::join);
      judge(history.finish(), quarters);
    }
  }

  private static void judge(IdHistory.Report report, List<Memory> quarters) {
    System.out.println(
        String.format(
            Locale.ROOT,
            "soak of %s: %,d IDs, %,.0f a second, %d twice; %s",
            TIME,
            report.count(),
            report.count() * 1e9 / TIME.toNanos(),
            report.duplicates(),
            quarters));
    assertThat(report.duplicates()).as(report::toString).isZero();
    assertThat(report.disorders()).isZero();
    assertThat(report.count()).isPositive();
    if (TIME.compareTo(LEAST_TO_JUDGE) >= 0) {
      Memory early = quarters.get(1);
      Memory late = quarters.get(QUARTERS - 1);
      assertThat(late.residentKilobytes() - early.residentKilobytes())
          .isLessThan(MAX_MORE_KILOBYTES);
      assertThat(late.heapKilobytes() - early.heapKilobytes()).isLessThan(MAX_MORE_KILOBYTES);
    }
  }

  /**
   * The resources that a server used during a quarter.
   *
   * @param residentKilobytes of its process, at most
   * @param heapKilobytes in use at least, which is when garbage had just been collected
   */
  private record Memory(long residentKilobytes, long heapKilobytes) {

    static Memory of(FirnServer server) throws IOException {
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
      try (Socket socket = connect(server.httpAddress())) {
        socket.getOutputStream().write("GET /metrics HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
      }
    }

    @Override
    public String toString() {
      return residentKilobytes / 1024 + " MB, heap " + heapKilobytes / 1024 + " MB";
    }
  }

  private static Memory quarter(FirnServer server) throws IOException {
    long resident = 0;
    long heap = Long.MAX_VALUE;
    for (int i = 0; i < SAMPLES_A_QUARTER; i++) {
      LockSupport.parkNanos(TIME.toNanos() / QUARTERS / SAMPLES_A_QUARTER);
      Memory now = Memory.of(server);
      resident = Math.max(resident, now.residentKilobytes());
      heap = Math.min(heap, now.heapKilobytes());
    }
    return new Memory(resident, heap);
  }

  private static Socket connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** One client: as fast as it can for a while, and then half as fast. */
  private static final class Load {

    private static final long FULL_NANOS = TIME.toNanos() / 20;

    private final InetSocketAddress server;
    private final byte[] request;
    private final int ids;
    private final IdHistory.Writer writer;
    private volatile boolean ending;

    /**
     * A client that does nothing yet.
     *
     * @param ids that the answers to a request hold
     */
    Load(InetSocketAddress server, String request, int ids, IdHistory.Writer writer) {
      this.server = server;
      this.request = request.getBytes(US_ASCII);
      this.ids = ids;
      this.writer = writer;
    }

    CompletableFuture<Void> start() {
      return CompletableFuture.runAsync(this::run, task -> new Thread(task, "load").start());
    }

    private void run() {
      try (Socket socket = connect(server)) {
        InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        long begin = System.nanoTime();
        long exchanges = 0;
        for (; !ending && System.nanoTime() - begin < FULL_NANOS; exchanges++) {
          exchange(socket, in);
        }
        long interval = 2 * (System.nanoTime() - begin) / exchanges;
        for (long due = System.nanoTime(); !ending; due += interval) {
          LockSupport.parkNanos(due - System.nanoTime());
          exchange(socket, in);
        }
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    private void exchange(Socket socket, InputStream in) throws IOException {
      socket.getOutputStream().write(request);
      for (int taken = 0; taken < ids; ) {
        taken += takeLine(in) ? 1 : 0;
      }
    }

    /** Takes the ID on a line: {@code :N} or {@code N}; false for a line of anything else. */
    private boolean takeLine(InputStream in) throws IOException {
      int first = in.read();
      boolean number = first == ':' || (first >= '0' && first <= '9');
      long id = 0;
      for (int next = first == ':' ? in.read() : first; next != '\n'; next = in.read()) {
        if (next < 0 || first == '-') {
          throw new IOException("answer: an error, or the end (expected: IDs)");
        }
        id = number && next != '\r' ? 10 * id + (next - '0') : id;
      }
      if (number) {
        writer.add(id);
      }
      return number;
    }
  }
}
