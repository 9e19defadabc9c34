package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server in a process of its own, with the memory of the systemd unit, whose connections are all
 * busy.
 */
@Timeout(300)
final class ConnectionLimitProcessTest {

  /** The shipped limit, 10,000, takes a server all of one core: probes may then be late. */
  private static final int CONNECTIONS =
      Integer.getInteger("firn.connections", Sizes.deep(500, 1_500));

  /** Kubernetes restarts a process, unless configured otherwise, after three failures in 20 s. */
  private static final Duration MAX_OUTAGE = Duration.ofSeconds(20);

  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);

  /** The connections beyond the limit that are opened in a second, and send nothing. */
  private static final int SILENT_PER_SECOND = 500;

  private static final int SILENT_AT_ONCE = 25;
  private static final int SILENT_OPEN = 200;

  private static final String IDS = "/v1/ids/orders";
  private static final List<String> PROBES = List.of("/livez", "/readyz", "/metrics");

  /** A server without tokens cannot tell strangers from its clients. */
  @Test
  void probesAreAnsweredWhileAllConnectionsAreBusy() throws Exception {
    List<String> arguments =
        List.of(
            "--store=memory:",
            "--defaults-layout=sonyflake",
            "--limits-connections=" + CONNECTIONS);
    try (PinnedCores cores = PinnedCores.ofDeepRuns();
        FirnServer server = FirnServer.start(AttackProcessTest.jvmOptionsOfUnit(), arguments)) {
      cores.giveFirst(server.pid());
      InetSocketAddress http = server.httpAddress();
      AtomicBoolean over = new AtomicBoolean();
      TestThreads strangers = new TestThreads();
      strangers.start(() -> new BusyClients(server.address()).run(over));
      strangers.start(() -> connectOften(http, over));
      try {
        awaitAnswer(false, http);
        for (int i = 0; i < Sizes.deep(60, 300); i++) {
          awaitAnswered(PROBES.get(i % PROBES.size()), http);
        }
        assertThat(status(IDS, http)).as("other clients").isNotEqualTo(200);
      } finally {
        over.set(true);
        strangers.join();
      }
      awaitAnswer(true, http);
      assertThat(server.stop()).isZero();
    }
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
