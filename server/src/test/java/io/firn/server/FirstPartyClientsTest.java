package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.firn.IdLayout;
import io.firn.server.DrawingClient.Language;
import io.firn.server.config.Sources;
import io.firn.server.http.HttpProtocol;
import io.firn.testkit.FreePort;
import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.FirnServer;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Firn's own clients, each in its language, as far as these are installed here: the output names
 * those that are not, or the test fails, if {@value DocumentedClientsTest#REQUIRE} is 1.
 */
@Timeout(600)
final class FirstPartyClientsTest {

  private static Server server;
  private static List<Language> languages;

  /** One for all tests: the client in Go is built once. */
  @TempDir static Path directory;

  @BeforeAll
  static void start() {
    languages = Language.installed();
    server =
        Server.start(
            Sources.of(
                    Map.of(
                        "--listen-http", "127.0.0.1:0",
                        "--listen-redis", "off",
                        "--listen-thrift", "off"),
                    Map.of("FIRN_TOKEN", "the-first-of-two-tokens"),
                    "memory:")
                .read(),
            TimeSource.system(),
            service -> List.of(new HttpProtocol(service)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A test of one language. */
  @FunctionalInterface
  private interface Row {
    void run(Language language) throws Exception;
  }

  /** Runs a test in all languages side by side: most of its time it waits. */
  private static void inEachLanguage(Row row) throws InterruptedException {
    TestThreads.together(
        languages.stream()
            .<Callable<Language>>map(
                language ->
                    () -> {
                      try {
                        row.run(language);
                      } catch (AssertionError e) {
                        throw new AssertionError(language + ": " + e.getMessage(), e);
                      }
                      return language;
                    })
            .toList());
  }

  private static String address() {
    return "http://127.0.0.1:" + server.addresses().get("http").getPort();
  }

  private static DrawingClient client(Language language, String servers, String... settings)
      throws Exception {
    List<String> all = new ArrayList<>(List.of("servers=" + servers, "namespace=orders"));
    all.addAll(List.of(settings));
    return new DrawingClient(language, directory, all.toArray(String[]::new));
  }

  /**
   * Two of three servers are down at a time, and another one hangs in between; in three rounds at
   * most.
   */
  @Test
  void drawsWhileServersAreKilledInTurn() throws Exception {
    List<FirnServer> servers = new ArrayList<>();
    List<DrawingClient> clients = new ArrayList<>();
    try (IdHistory history = new IdHistory(Language.values().length, 64 << 20)) {
      for (int i = 0; i < 3; i++) {
        servers.add(FirnServer.start("--store=file:" + directory.resolve("store")));
      }
      String addresses =
          servers.stream()
              .map(server -> "http://127.0.0.1:" + server.httpAddress().getPort())
              .collect(Collectors.joining(","));
      for (Language language : languages) {
        clients.add(client(language, addresses, "batch=200", "wait=60000"));
      }
      for (DrawingClient client : clients) {
        assertThat(client.next()).matches("[0-9]+");
        client.draw(history.newWriter());
      }
      for (int round = 0; round < Sizes.deep(1, 3); round++) {
        FirnServer first = servers.get(2 * round % 3);
        FirnServer second = servers.get((2 * round + 1) % 3);
        first.kill();
        awaitDrawn(clients);
        second.kill();
        awaitDrawn(clients);
        first.restart();
        second.restart();
        first.pause();
        awaitDrawn(clients);
        first.resume();
      }
      for (DrawingClient client : clients) {
        List<String> said = client.stop();
        System.out.println(client + ": " + said);
        assertThat(said).singleElement().asString().startsWith("longest call");
      }
      assertThat(history.finish().firstDuplicates()).isEmpty();
    } finally {
      for (DrawingClient client : clients) {
        client.close();
      }
      servers.forEach(FirnServer::close);
    }
  }

  /**
   * A client that waits for a millisecond at most fails each call that finds no ID in the buffer.
   * Any machine may stall for longer than a buffer lasts, so one attempt of five has to be without.
   */
  @Test
  void noCallWaitsWhileTheServersRun() throws Exception {
    inEachLanguage(this::noCallWaitsWhileTheServersRun);
  }

  private void noCallWaitsWhileTheServersRun(Language language) throws Exception {
    List<String> said = List.of();
    for (int attempt = 0; said.size() != 1 && attempt < 5; attempt++) {
      try (DrawingClient client =
              client(language, address(), "token=the-first-of-two-tokens", "wait=1");
          IdHistory history = new IdHistory(1, 1 << 20)) {
        while (!client.next().matches("[0-9]+")) {
          Thread.sleep(50);
        }
        client.draw(history.newWriter());
        client.awaitDrawn(4_000);
        said = client.stop();
        System.out.println(client + " while the servers run: " + said);
        assertThat(history.finish().firstDuplicates()).isEmpty();
      }
    }
    assertThat(said).singleElement().asString().startsWith("longest call");
  }

  /** More than the buffer: two batches, and one on its way. */
  private static void awaitDrawn(List<DrawingClient> clients) throws InterruptedException {
    for (DrawingClient client : clients) {
      client.awaitDrawn(Sizes.deep(1_000, 3_000));
    }
  }

  @Test
  void idsOfABatchGrowAndTheProcessEnds() throws Exception {
    inEachLanguage(this::idsOfABatchGrowAndTheProcessEnds);
  }

  private void idsOfABatchGrowAndTheProcessEnds(Language language) throws Exception {
    try (DrawingClient client =
        client(language, address(), "token=the-first-of-two-tokens", "batch=50")) {
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        ids.add(Long.valueOf(client.next()));
      }
      assertThat(ids).isSorted().doesNotHaveDuplicates();
      assertThat(client.end()).isZero();
    }
  }

  @Test
  void namesTheLastFailureOfEachServer() throws Exception {
    inEachLanguage(this::namesTheLastFailureOfEachServer);
  }

  private void namesTheLastFailureOfEachServer(Language language) throws Exception {
    String closed = "http://127.0.0.1:" + FreePort.next();
    try (DrawingClient client = client(language, closed + "," + address(), "wait=6000")) {
      assertThat(client.next())
          .startsWith("failed: Namespace orders has no ID after ")
          .contains(closed + ": ")
          .contains(address() + ": 401 ")
          .doesNotContain("no answer yet");
    }
  }

  @Test
  void failsAtOnceIfEachServerRefuses() throws Exception {
    inEachLanguage(this::failsAtOnceIfEachServerRefuses);
  }

  private void failsAtOnceIfEachServerRefuses(Language language) throws Exception {
    try (DrawingClient client =
        client(
            language, address(), "token=the-other-of-two-tokens", "wait=3600000", "age=7200000")) {
      assertThat(client.next()).contains(address() + ": 401 ");
    }
  }

  @Test
  void dropsIdsOfTheMaximumAge() throws Exception {
    inEachLanguage(this::dropsIdsOfTheMaximumAge);
  }

  private void dropsIdsOfTheMaximumAge(Language language) throws Exception {
    try (DrawingClient client =
        client(language, address(), "token=the-first-of-two-tokens", "timeout=1000", "age=2000")) {
      Instant first = timeOf(client.next());
      Instant aged = first.plusMillis(2_100);
      while (Instant.now().isBefore(aged)) {
        Thread.sleep(10);
      }
      Instant asked = Instant.now();
      assertThat(timeOf(client.next())).isAfter(asked.minusMillis(2_000));
    }
  }

  private static Instant timeOf(String id) {
    return IdLayout.CLASSIC.parse(Long.parseLong(id)).instant();
  }

  /** Runs the page's code where the packages are installed as it describes. */
  @Test
  void theDocumentedExamplePrintsAnId() throws Exception {
    inEachLanguage(this::theDocumentedExamplePrintsAnId);
  }

  private void theDocumentedExamplePrintsAnId(Language language) throws Exception {
    if (language == Language.JAVA) {
      return; // compiled among the examples
    }
    String page = Files.readString(Path.of("..", "docs", "using", "fetching-ahead.md"));
    String fence = "```" + language.fence() + "\n";
    int at = language == Language.ASYNCIO ? page.lastIndexOf(fence) : page.indexOf(fence);
    int begin = at + fence.length();
    String example = page.substring(begin, page.indexOf("```", begin));
    try (FirnServer server = FirnServer.start("--store=memory:")) {
      String placed = example.replace("7618", "" + server.httpAddress().getPort());
      assertThat(DrawingClient.run(language, placed, directory)).matches("[0-9]+\n");
    }
  }

  /** A name such as undefined, out of a setting that is missing, would be that of a namespace. */
  @Test
  void refusesToStartWithoutANamespace() throws Exception {
    inEachLanguage(this::refusesToStartWithoutANamespace);
  }

  private void refusesToStartWithoutANamespace(Language language) throws Exception {
    if (language == Language.JAVA) {
      return; // FirnClientTest
    }
    String program =
        switch (language) {
          case NODE ->
              """
              import { FirnClient } from "firn-client";
              for (const namespace of [undefined, null, ""]) {
                try {
                  new FirnClient({ servers: ["http://127.0.0.1:1"], namespace }).close();
                } catch (e) {
                  console.log(e.message);
                }
              }
              """;
          case PYTHON, ASYNCIO ->
              """
              from MODULE import FirnClient
              for namespace in [None, ""]:
                  try:
                      FirnClient(["http://127.0.0.1:1"], namespace).close()
                  except ValueError as e:
                      print(e)
              """
                  .replace(
                      "MODULE", language == Language.PYTHON ? "firn_client" : "firn_client.aio");
          default ->
              """
              package main

              import (
              	"fmt"

              	firn "firn.io/client"
              )

              func main() {
              	_, err := firn.New(firn.Config{Servers: []string{"http://127.0.0.1:1"}})
              	fmt.Println(err)
              }
              """;
        };
    Path place = Files.createDirectories(directory.resolve("without").resolve("" + language));
    assertThat(DrawingClient.run(language, program, place).lines().toList())
        .isEqualTo(
            switch (language) {
              case NODE ->
                  List.of(
                      "namespace: undefined (expected: a name)",
                      "namespace: null (expected: a name)",
                      "namespace:  (expected: a name)");
              case GO -> List.of("Namespace: none (expected: a name)");
              default ->
                  List.of("namespace: None (expected: a name)", "namespace: '' (expected: a name)");
            });
  }

  /** One that is read from a file ends with a line. */
  @Test
  void aTokenThatNoHeaderTakesIsNotShown() throws Exception {
    inEachLanguage(this::doesNotShowTheToken);
  }

  private void doesNotShowTheToken(Language language) throws Exception {
    if (language == Language.JAVA) {
      return; // FirnClientTest
    }
    String program =
        switch (language) {
          case NODE ->
              """
              import { FirnClient } from "firn-client";
              for (const token of ["the-secret\\n", "the-sec\\nret", "the secret"]) {
                try {
                  const servers = ["http://127.0.0.1:1"];
                  new FirnClient({ servers, namespace: "orders", token }).close();
                } catch (e) {
                  console.log(e.message);
                }
              }
              """;
          case PYTHON, ASYNCIO ->
              """
              from MODULE import FirnClient
              for token in ["the-secret\\n", "the-sec\\nret", "the secret"]:
                  try:
                      FirnClient(["http://127.0.0.1:1"], "orders", token=token).close()
                  except ValueError as e:
                      print(e)
              """
                  .replace(
                      "MODULE", language == Language.PYTHON ? "firn_client" : "firn_client.aio");
          default ->
              """
              package main

              import (
              	"fmt"

              	firn "firn.io/client"
              )

              func main() {
              	for _, token := range []string{"the-secret\\n", "the-sec\\nret", "the secret"} {
              		_, err := firn.New(firn.Config{
              			Servers: []string{"http://127.0.0.1:1"}, Namespace: "orders", Token: token})
              		fmt.Println(err)
              	}
              }
              """;
        };
    Path place = Files.createDirectories(directory.resolve("token").resolve("" + language));
    String name = language == Language.GO ? "Token" : "token";
    assertThat(DrawingClient.run(language, program, place).lines())
        .hasSize(3)
        .containsOnly(name + ": not shown (expected: visible ASCII characters)");
  }

  /**
   * A forked process begins with the stock of its parent, and with the locks that the parent's
   * threads held: here that of an answer whose rest is on its way.
   */
  @Test
  void aForkedProcessDrawsIdsOfItsOwn() throws Exception {
    if (!languages.contains(Language.PYTHON)) {
      return;
    }
    CountDownLatch sent = new CountDownLatch(1);
    HttpServer halting = answersTwoBatchesAndHalves(sent);
    try (DrawingClient client =
        client(
            Language.PYTHON,
            "http://127.0.0.1:" + halting.getAddress().getPort(),
            "batch=10",
            "timeout=60000",
            "wait=60000",
            "age=120000")) {
      client.fork();
      List<String> ids = new ArrayList<>(List.of(client.answer()));
      sent.countDown();
      ids.add(client.answer());
      assertThat(ids).allMatch(id -> id.matches("[0-9]+")).doesNotHaveDuplicates();
    } finally {
      sent.countDown();
      halting.stop(0);
    }
  }

  /** Answers two batches of 10 whole, and of each later one a half until the latch opens. */
  private static HttpServer answersTwoBatchesAndHalves(CountDownLatch sent) throws IOException {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(command -> new Thread(command).start());
    server.createContext(
        "/",
        exchange -> {
          int request = requests.incrementAndGet();
          byte[] ids =
              IntStream.range(0, 10)
                  .mapToObj(i -> request * 100 + i + "\n")
                  .collect(Collectors.joining())
                  .getBytes(US_ASCII);
          exchange.sendResponseHeaders(200, ids.length);
          exchange.getResponseBody().write(ids, 0, ids.length / 2);
          exchange.getResponseBody().flush();
          if (request > 2) {
            try {
              sent.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
          exchange.getResponseBody().write(ids, ids.length / 2, ids.length - ids.length / 2);
          exchange.close();
        });
    server.start();
    return server;
  }
}
