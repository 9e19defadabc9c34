package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Namespace;
import io.firn.server.redis.RedisProtocol;
import io.firn.store.FileRegisterStore;
import io.firn.testservers.FirnServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops while clients have scopes open, and how many of them they may have. */
@Timeout(180)
final class ScopesAtStopTest {

  private static final List<String> NAMESPACES =
      IntStream.rangeClosed('a', 'h').mapToObj(Character::toString).toList();

  private static final String SCOPE = "NEXT %s SCOPE 60000\r\n";

  @TempDir Path directory;

  private RunningServer start(String more) {
    return RunningServer.start(
        "redis", RedisProtocol::new, "{store: 'file:%s/store', %s}".formatted(directory, more));
  }

  private long workersHeld(String namespace) {
    try (FileRegisterStore store = FileRegisterStore.open(directory.resolve("store"))) {
      return Namespace.of(store, namespace).workers().stream()
          .filter(worker -> worker.held())
          .count();
    }
  }

  /** Draws an ID in a scope, and returns the name of the scope. */
  private static String draw(RawClient client, String namespace) {
    assertThat(client.send(SCOPE.formatted(namespace)).line()).isEqualTo("*2");
    client.line();
    String scope = client.line();
    assertThat(client.line()).startsWith(":");
    return scope;
  }

  @Test
  void clientsEndTheirScopesOverTheConnectionsThatTheyHave() {
    RunningServer server = start("grace: 2m, namespaces: {orders: }");
    try (RawClient client = server.connect();
        RawClient other = server.connect()) {
      String scope = draw(client, "orders");
      CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
      String refusal = "*";
      while (refusal.startsWith("*")) {
        refusal = other.send(SCOPE.formatted("orders")).line();
        if (refusal.startsWith("*")) {
          other.line();
          String early = other.line();
          other.line();
          other.send("DONE " + early + "\r\n").expect("+OK\r\n");
        }
      }
      assertThat(refusal).isEqualTo("-TRYAGAIN This server is stopping; retry with another server");
      assertThat(other.send("INCR orders\r\n").line()).startsWith(":");
      client.send("DONE " + scope + "\r\n").expect("+OK\r\n");
      stop.join();
    }
    assertThat(workersHeld("orders")).isZero();
  }

  @Test
  void scopesThatStayOpenKeepTheLeasesOfTheirNamespacesOnly() {
    RunningServer server =
        start("grace: 4900ms, namespaces: {a: , b: , c: , d: , e: , f: , g: , x: , y: , z: }");
    try (RawClient client = server.connect()) {
      for (String held : List.of("a", "b", "c", "d", "e", "f", "g")) {
        draw(client, held);
      }
      assertThat(client.send("INCR z\r\n").line()).startsWith(":");
      server.close();
    }
    assertThat(workersHeld("a")).isEqualTo(1);
    for (String free : List.of("x", "y", "z")) {
      assertThat(workersHeld(free)).as(free).isZero();
    }
  }

  /** Starts a server with the drain that it has by default, and namespaces a to h. */
  private FirnServer process(String grace) throws IOException {
    Path config =
        Files.writeString(
            directory.resolve("firn.yaml"),
            NAMESPACES.stream().collect(Collectors.joining(": , ", "namespaces: {", ": }")));
    return FirnServer.start(
        "--store=file:" + directory.resolve("store"),
        "--config=" + config,
        "--grace=" + grace,
        "--drain=1s");
  }

  @Test
  void openScopeAndDrainLeaveTimeForTheOtherLeases() throws Exception {
    try (FirnServer server = process("2s");
        RawClient client = new RawClient(server.address())) {
      draw(client, "a");
      assertThat(server.stop()).isZero();
    }
    assertThat(NAMESPACES).filteredOn(name -> workersHeld(name) > 0).containsExactly("a");
  }

  @Test
  void leasesAreGivenBackWithoutAnyGrace() throws Exception {
    try (FirnServer server = process("0ms")) {
      assertThat(server.stop()).isZero();
    }
    assertThat(NAMESPACES).allSatisfy(name -> assertThat(workersHeld(name)).isZero());
  }

  @Test
  void tokenLeavesScopesToOthers() throws Exception {
    Path greedy = Files.writeString(directory.resolve("greedy"), "the-token-of-the-greedy");
    Path modest = Files.writeString(directory.resolve("modest"), "the-token-of-the-modest");
    String tokens =
        "tokens: {greedy: {file: '%s'}, modest: {file: '%s'}}".formatted(greedy, modest);
    try (RunningServer server = start("grace: 100ms, namespaces: {orders: }, " + tokens);
        RawClient client = server.connect();
        RawClient other = server.connect()) {
      client.send("AUTH the-token-of-the-greedy\r\n").expect("+OK\r\n");
      other.send("AUTH the-token-of-the-modest\r\n").expect("+OK\r\n");
      String refusal = "";
      for (int sent = 0; refusal.isEmpty() && sent < 40_000; sent += 100) {
        client.send(SCOPE.formatted("orders").repeat(100));
        refusal =
            IntStream.range(0, 100)
                .mapToObj(i -> answer(client))
                .filter(line -> line.startsWith("-"))
                .reduce("", (first, next) -> next);
      }
      assertThat(refusal)
          .isEqualTo(
              "-TRYAGAIN Token greedy has 10000 scopes open, as many as this server has left for"
                  + " others");
      String scope = draw(other, "orders");
      other.send("DONE " + scope + "\r\n").expect("+OK\r\n");
    }
  }

  /** Returns the first line of an answer, and skips the others. */
  private static String answer(RawClient client) {
    String first = client.line();
    if (first.startsWith("*")) {
      client.line();
      client.line();
      client.line();
    }
    return first;
  }
}
