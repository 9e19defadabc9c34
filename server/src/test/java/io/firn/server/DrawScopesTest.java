package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.lease.Watermark;
import io.firn.server.http.HttpProtocol;
import io.firn.server.redis.RedisProtocol;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.SwitchedStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;

/** Draws whose rows readers of the watermark wait for, until the client is done or for so long. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class DrawScopesTest {

  private static final String CONFIG =
      """
      store: "file:%s/store"
      defaults: {window: 2s}
      namespaces: {orders: , numbers: {type: segment}, seata: {layout: seata}}
      """;

  @TempDir Path directory;

  private RunningServer start(String protocol) {
    return RunningServer.start(
        protocol,
        protocol.equals("http") ? HttpProtocol::new : RedisProtocol::new,
        CONFIG.formatted(directory));
  }

  /** Waits until readers are past an ID. */
  private void awaitPast(long id) throws InterruptedException {
    try (RegisterStore store = FileRegisterStore.open(directory.resolve("store"))) {
      Watermark watermark = Watermark.of(store, "orders");
      while (watermark.current().id() < id) {
        Thread.sleep(50);
      }
    }
  }

  private long watermark() {
    try (RegisterStore store = FileRegisterStore.open(directory.resolve("store"))) {
      return Watermark.of(store, "orders").current().id();
    }
  }

  @Test
  void readersWaitForADrawOverHttpUntilItsClientIsDone() throws Exception {
    try (RunningServer server = start("http")) {
      HttpResponse<String> drawn = post(server, "/v1/ids/orders?count=2&scope_ms=60000");
      assertThat(drawn.statusCode()).as(drawn.body()).isEqualTo(200);
      String scope = drawn.headers().firstValue("Firn-Scope").orElseThrow();
      assertThat(drawn.body()).contains("\"scope\":\"" + scope + "\"");
      long first = Long.parseLong(drawn.body().replaceAll("(?s).*\"ids\":\\[\"([0-9]+).*", "$1"));
      long later = Long.parseLong(post(server, "/v1/ids/orders").body().replaceAll("[^0-9]", ""));
      for (int i = 0; i < 5; i++) { // more than a renewal
        assertThat(watermark()).isLessThan(first);
        Thread.sleep(300);
      }

      HttpResponse<String> withBody = post(server, "/v1/scopes/" + scope + "/end", "{}");
      assertThat(withBody.statusCode()).isEqualTo(400);
      assertThat(withBody.body()).contains("body: 2 bytes (expected: none; ");

      HttpResponse<String> done = post(server, "/v1/scopes/" + scope + "/end");

      assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
      assertThat(done.body().trim()).isEqualTo("{\"scope\":\"" + scope + "\"}");
      awaitPast(later);
      HttpResponse<String> again = post(server, "/v1/scopes/" + scope + "/end");
      assertThat(again.statusCode()).isEqualTo(404);
      assertThat(again.body())
          .contains(
              "scope: "
                  + scope
                  + " (expected: one that is open in this server; it ends at its time limit, and"
                  + " readers may miss rows that were committed after that)");
    }
  }

  @Test
  void limitsAndNamespacesThatCannotBeAreRefusedOverHttp() throws Exception {
    try (RunningServer server = start("http")) {
      for (String wrong : List.of("0", "60001", "x", "-1", "", "9999999999")) {
        HttpResponse<String> refused = post(server, "/v1/ids/orders?scope_ms=" + wrong);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
            .contains("scope_ms: " + wrong + " (expected: 1..60000, in milliseconds)");
      }
      HttpResponse<String> numbers = post(server, "/v1/ids/numbers?scope_ms=1000");
      assertThat(numbers.statusCode()).isEqualTo(400);
      assertThat(numbers.body())
          .contains("namespace: numbers (expected: one of type snowflake, for a scope)");
      HttpResponse<String> seata = post(server, "/v1/ids/seata?scope_ms=1000");
      assertThat(seata.statusCode()).as(seata.body()).isEqualTo(400);
      assertThat(seata.body()).contains("(expected: time as the highest field, for a scope)");
    }
  }

  @Test
  void readersGoOnAfterTheTimeLimitOfADrawOverRedis() throws Exception {
    try (RunningServer server = start("redis");
        Connection client = client(server)) {
      List<Object> drawn = next(client, "orders", "COUNT", "2", "SCOPE", "300");
      assertThat(drawn).hasSize(3);
      awaitPast((Long) drawn.get(2));
      assertThatThrownBy(() -> done(client, text(drawn.get(0))))
          .isInstanceOf(JedisDataException.class)
          .hasMessageContaining("(expected: one that is open in this server; it ends at its time");
    }
  }

  @Test
  void readersWaitForADrawOverRedisUntilItsClientIsDone() throws Exception {
    try (RunningServer server = start("redis");
        Connection client = client(server)) {
      List<Object> one = next(client, "orders", "scope", "1");
      assertThat(one).hasSize(2);
      List<Object> drawn = next(client, "orders", "SCOPE", "60000");
      long id = (Long) drawn.get(1);
      assertThat(id).isGreaterThan((Long) one.get(1));
      assertThat(watermark()).isLessThan(id);
      assertThat(done(client, text(drawn.get(0)))).isEqualTo("OK");
      awaitPast(id);
      for (String wrong : List.of("0", "60001", "x")) {
        assertThatThrownBy(() -> next(client, "orders", "SCOPE", wrong))
            .hasMessage("ERR scope: " + wrong + " (expected: 1..60000, in milliseconds)");
      }
      assertThatThrownBy(() -> next(client, "orders", "SCOPE"))
          .hasMessage("ERR syntax error (expected: NEXT key [COUNT n] [SCOPE milliseconds])");
      assertThatThrownBy(() -> next(client, "numbers", "SCOPE", "1000"))
          .hasMessage("ERR namespace: numbers (expected: one of type snowflake, for a scope)");
    }
  }

  /** The store's answers come late: IDs may be drawn under the lease that follows the scope's. */
  @Test
  void drawThatOutlivesItsLeaseIsRefusedOrCovered() throws Exception {
    SwitchedStore store = SwitchedStores.named("draw-scopes");
    String config =
        "{store: 'switched:draw-scopes', defaults: {window: 3s}, namespaces: {orders: }}";
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new, config);
        Connection client = client(server)) {
      next(client, "orders", "SCOPE", "1");
      store.hold();
      try {
        while (!isRefused(client)) {
          Thread.sleep(100);
        }
        Thread.sleep(3000); // so that the renewal that is under way is of no use either
        client.sendCommand(command("NEXT"), "orders", "SCOPE", "60000");
        Thread.sleep(200); // so that it waits for the lease
      } finally {
        store.letGo();
      }
      List<Object> drawn;
      try {
        drawn = new ArrayList<>(client.getObjectMultiBulkReply());
      } catch (JedisDataException e) {
        assertThat(e).hasMessageStartingWith("TRYAGAIN");
        while (isRefused(client)) {
          Thread.sleep(50);
        }
        drawn = next(client, "orders", "SCOPE", "60000");
      }
      assertThat(done(client, text(drawn.get(0)))).isEqualTo("OK");
    }
  }

  /** Readers may be past the rows, though no answer of the store has told the server so. */
  @Test
  void scopeOfALeaseThatHasRunOutIsNotDone() throws Exception {
    SwitchedStore store = SwitchedStores.named("draw-scopes-run-out");
    String config =
        "{store: 'switched:draw-scopes-run-out', defaults: {window: 3s}, namespaces: {orders: }}";
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new, config);
        Connection client = client(server)) {
      store.hold();
      try {
        String scope = text(next(client, "orders", "SCOPE", "60000").get(0));
        while (!isRefused(client)) {
          Thread.sleep(100);
        }
        assertThatThrownBy(() -> done(client, scope))
            .isInstanceOf(JedisDataException.class)
            .hasMessageContaining("its lease ended");
      } finally {
        store.letGo();
      }
    }
  }

  private static boolean isRefused(Connection client) {
    try {
      return next(client, "orders", "COUNT", "1").isEmpty();
    } catch (JedisDataException e) {
      return true;
    }
  }

  private static Connection client(RunningServer server) {
    return new Connection(new HostAndPort("127.0.0.1", server.address().getPort()));
  }

  private static List<Object> next(Connection client, String... arguments) {
    client.sendCommand(command("NEXT"), arguments);
    return new ArrayList<>(client.getObjectMultiBulkReply());
  }

  private static String done(Connection client, String scope) {
    client.sendCommand(command("DONE"), scope);
    return client.getStatusCodeReply();
  }

  private static ProtocolCommand command(String name) {
    return () -> name.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(Object bulk) {
    return new String((byte[]) bulk, StandardCharsets.US_ASCII);
  }

  private static HttpResponse<String> post(RunningServer server, String path) throws Exception {
    return post(server, path, "");
  }

  private static HttpResponse<String> post(RunningServer server, String path, String body)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }
}
