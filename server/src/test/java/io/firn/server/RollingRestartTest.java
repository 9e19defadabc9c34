package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers with the defaults, and with the memory of the systemd unit, are stopped and started
 * one after the other, while plain HTTP clients ask those that are ready over connections that they
 * keep.
 */
@Timeout(300)
final class RollingRestartTest {

  private static final int CLIENTS = 6;

  /** The default, which {@link FirnServer} would shorten. */
  private static final String DRAIN = "--drain=1s";

  /**
   * Half of the drain: on a busy machine the balancer may not have asked a server for longer, and a
   * client may not have used its connection. What they know may then be out of date.
   */
  private static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final String REQUEST = "GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final Pattern LENGTH = Pattern.compile("content-length: ([0-9]+)");

  @TempDir private Path store;

  /** When the balancer asked each server that was ready. */
  private final Map<InetSocketAddress, Long> ready = new ConcurrentHashMap<>();

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong answers = new AtomicLong();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Set<String> ids = ConcurrentHashMap.newKeySet();

  @Test
  void losesNoRequest() throws Exception {
    List<String> options = UnderAttackProcessTest.jvmOptionsOfUnit();
    List<FirnServer> servers = new ArrayList<>();
    TestThreads threads = new TestThreads();
    try {
      for (int i = 0; i < 3; i++) {
        servers.add(FirnServer.start(options, List.of("--store=file:" + store, DRAIN)));
      }
      servers.forEach(server -> threads.start(() -> balance(server.httpAddress())));
      for (int i = 0; i < CLIENTS; i++) {
        threads.start(this::ask);
      }
      awaitAnswers();
      for (FirnServer server : servers) {
        assertThat(server.stop()).as("exit code, 1 if it takes longer than it may").isZero();
        server.restart();
        awaitAnswers();
      }
    } finally {
      over.set(true);
      threads.join();
      servers.forEach(FirnServer::kill); // without the drain
      servers.forEach(FirnServer::close);
    }
    assertThat(failures).isEmpty();
    assertThat(ids).as("different IDs").hasSize((int) answers.get());
  }

  /** Waits for many more answers, and for all servers to be ready. */
  private void awaitAnswers() throws InterruptedException {
    long before = answers.get();
    while (failures.isEmpty()
        && (answers.get() < before + Sizes.deep(150, 500) || ready.size() < 3)) {
      Thread.sleep(10);
    }
  }

  /** Takes a server out while it is not ready, as a balancer does. */
  private void balance(InetSocketAddress server) throws InterruptedException {
    while (!over.get()) {
      long asked = System.nanoTime();
      if (isReady(server)) {
        ready.put(server, asked);
      } else {
        ready.remove(server);
      }
      Thread.sleep(20);
    }
  }

  private static boolean isReady(InetSocketAddress server) {
    try (RawClient probe = new RawClient(server)) {
      return probe.send("GET /readyz HTTP/1.0\r\n\r\n").rest().startsWith("HTTP/1.1 200 ");
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private void ask() throws InterruptedException {
    for (int turn = 0; !over.get(); turn++) {
      List<InetSocketAddress> servers =
          ready.keySet().stream().filter(server -> isFresh(ready.get(server))).toList();
      if (servers.isEmpty()) {
        Thread.sleep(10);
      } else {
        use(servers.get(turn % servers.size()));
      }
    }
  }

  private static boolean isFresh(@Nullable Long nanos) {
    return nanos != null && System.nanoTime() - nanos < MAX_AGE_NANOS;
  }

  /** Asks until the server says that the connection ends. */
  private void use(InetSocketAddress server) throws InterruptedException {
    try (RawClient client = new RawClient(server)) {
      boolean kept = true;
      for (long used = System.nanoTime(); kept && isFresh(used) && !over.get(); ) {
        used = System.nanoTime();
        kept = askOnce(client.send(REQUEST));
        Thread.sleep(5);
      }
    } catch (UncheckedIOException e) {
      failures.add(server + ": " + e.getMessage());
    }
  }

  private boolean askOnce(RawClient client) {
    StringBuilder head = new StringBuilder();
    for (String line = client.line(); !line.isEmpty(); line = client.line()) {
      head.append(line).append('\n');
    }
    Matcher length = LENGTH.matcher(head);
    if (!head.toString().startsWith("HTTP/1.1 200 ") || !length.find()) {
      failures.add("answer: " + head);
      return false;
    }
    ids.add(client.receive(Integer.parseInt(length.group(1))));
    answers.incrementAndGet();
    return head.indexOf("connection: close") < 0;
  }
}
