package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers are stopped and started one after the other, while plain HTTP clients ask those
 * that are ready over connections that they keep.
 */
@Timeout(300)
final class RollingRestartTest {

  private static final int CLIENTS = 6;
  private static final String REQUEST = "GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final Pattern LENGTH = Pattern.compile("content-length: ([0-9]+)");

  @TempDir private Path store;

  private final Set<InetSocketAddress> ready = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong answers = new AtomicLong();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Set<String> ids = ConcurrentHashMap.newKeySet();

  @Test
  void losesNoRequest() throws Exception {
    List<FirnServer> servers = new ArrayList<>();
    TestThreads threads = new TestThreads();
    try {
      for (int i = 0; i < 3; i++) {
        servers.add(FirnServer.start("--store=file:" + store, "--grace=30s", "--drain=6s"));
      }
      servers.forEach(server -> threads.start(() -> balance(server.httpAddress())));
      for (int i = 0; i < CLIENTS; i++) {
        threads.start(this::ask);
      }
      awaitAnswers();
      for (FirnServer server : servers) {
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        process.destroy();
        process.onExit().get(60, TimeUnit.SECONDS);
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
    while (failures.isEmpty() && (answers.get() < before + 500 || ready.size() < 3)) {
      Thread.sleep(10);
    }
  }

  /** Takes a server out while it is not ready, as a balancer does. */
  private void balance(InetSocketAddress server) throws InterruptedException {
    while (!over.get()) {
      if (isReady(server)) {
        ready.add(server);
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
      List<InetSocketAddress> servers = List.copyOf(ready);
      if (servers.isEmpty()) {
        Thread.sleep(10);
      } else {
        use(servers.get(turn % servers.size()));
      }
    }
  }

  /** Asks until the server says that the connection ends. */
  private void use(InetSocketAddress server) throws InterruptedException {
    try (RawClient client = new RawClient(server)) {
      boolean kept = true;
      while (kept && !over.get()) {
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
