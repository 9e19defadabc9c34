package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server in a process of its own, with the memory of the systemd unit, whose connections are all
 * busy.
 */
@Tag("alone")
@Timeout(300)
final class ConnectionLimitProcessTest {

  /** In its large size, the shipped limit. */
  private static final int CONNECTIONS =
      Integer.getInteger("firn.connections", Sizes.deep(2_000, 10_000));

  /** The clients that are refused at once, because the others wait, and ask again at once. */
  private static final int REFUSED = Math.min(1_500, 3 * CONNECTIONS / 4);

  /** The layout has as many IDs in the ten seconds for which requests may wait. */
  private static final int WAITING_IDS = 256_000;

  private static final int COUNT = WAITING_IDS / (CONNECTIONS - REFUSED);

  /** Kubernetes restarts a process, unless configured otherwise, after three failures in 20 s. */
  private static final Duration MAX_OUTAGE = Duration.ofSeconds(10);

  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);

  /** The connections beyond the limit that are opened in a second, and send nothing. */
  private static final int SILENT_PER_SECOND = 500;

  private static final int SILENT_AT_ONCE = 25;
  private static final int SILENT_OPEN = 200;

  private static final String IDS = "/v1/ids/orders";
  private static final List<String> PROBES = List.of("/livez", "/readyz", "/metrics");

  /** Returns whether operators have a port of their own. */
  static List<Boolean> portsOfOperators() {
    return Sizes.isDeep() ? List.of(false, true) : List.of(false);
  }

  /** A server without tokens cannot tell strangers from its clients. */
  @ParameterizedTest
  @MethodSource("portsOfOperators")
  void probesAreAnsweredWhileAllConnectionsAreBusy(boolean separate) throws Exception {
    int admin = FreePort.next();
    List<String> arguments =
        List.of(
            "--store=memory:",
            "--defaults-layout=sonyflake",
            "--limits-connections=" + CONNECTIONS,
            "--listen-admin=" + (separate ? "127.0.0.1:" + admin : "off"));
    try (PinnedCores cores = PinnedCores.ofDeepRuns();
        FirnServer server =
            FirnServer.start(UnderAttackProcessTest.jvmOptionsOfUnit(), arguments)) {
      cores.giveFirst(server.pid());
      InetSocketAddress http = server.httpAddress();
      InetSocketAddress operators =
          separate ? new InetSocketAddress(http.getAddress(), admin) : http;
      for (String probe : PROBES) {
        awaitAnswered(probe, operators); // the first time, each takes longer
      }
      AtomicBoolean over = new AtomicBoolean();
      TestThreads strangers = new TestThreads();
      strangers.start(() -> new BusyClients(server.address(), COUNT).run(over));
      strangers.start(() -> connectOften(http, over));
      try {
        awaitAnswer(false, http);
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < Sizes.deep(60, 300); i++) {
          long begin = System.nanoTime();
          awaitAnswered(PROBES.get(i % PROBES.size()), operators);
          nanos.add(System.nanoTime() - begin);
        }
        report(separate, nanos);
        awaitAnswer(false, http); // they are still busy
      } finally {
        over.set(true);
        strangers.join();
      }
      awaitAnswer(true, http);
      assertThat(server.stop()).isZero();
    }
  }

  private static void report(boolean separate, List<Long> nanos) {
    List<Long> micros = nanos.stream().map(TimeUnit.NANOSECONDS::toMicros).sorted().toList();
    System.getLogger(ConnectionLimitProcessTest.class.getName())
        .log(
            System.Logger.Level.INFO,
            "{0} busy connections, listen.admin {1}: probes answered after {2} us (p50), {3} us"
                + " (p99), {4} us (longest)",
            CONNECTIONS,
            separate ? "on" : "off",
            micros.get(micros.size() / 2),
            micros.get(micros.size() * 99 / 100),
            micros.get(micros.size() - 1));
  }

  private static void awaitAnswered(String probe, InetSocketAddress http)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (!isAnswered(probe, http)) {
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).as(probe).isLessThan(MAX_OUTAGE);
      Thread.sleep(20);
    }
  }

  private static boolean isAnswered(String probe, InetSocketAddress http) {
    long begin = System.nanoTime();
    return status(probe, http) == 200 && System.nanoTime() - begin < PROBE_TIMEOUT.toNanos();
  }

  /** Waits until a client that is not a probe is answered, or is not. */
  private static void awaitAnswer(boolean answered, InetSocketAddress http)
      throws InterruptedException {
    while ((status(IDS, http) == 200) != answered) {
      Thread.sleep(20);
    }
  }

  /** Returns the status of an answer; 0 if the server closed the connection instead. */
  private static int status(String path, InetSocketAddress http) {
    try (RawClient client = new RawClient(http)) {
      String answer = client.send("GET " + path + " HTTP/1.0\r\n\r\n").rest();
      return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
    } catch (UncheckedIOException e) {
      return 0;
    }
  }

  private static void connectOften(InetSocketAddress http, AtomicBoolean over) throws Exception {
    Deque<SocketChannel> silent = new ArrayDeque<>();
    while (!over.get()) {
      for (int i = 0; i < SILENT_AT_ONCE; i++) {
        try {
          silent.add(Strangers.connect(http, i));
        } catch (IOException e) {
          // the process has no more files
        }
      }
      while (silent.size() > SILENT_OPEN) {
        silent.remove().close();
      }
      Thread.sleep(1000 * SILENT_AT_ONCE / SILENT_PER_SECOND);
    }
    for (SocketChannel each : silent) {
      each.close();
    }
  }
}
