package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.LogLines;
import io.firn.testservers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of access over HTTP with tokens. */
final class HttpAccessTest {

  private static final String ALL = "a-token-for-everything";
  private static final String ORDERS = "a-token-for-orders-only";

  /** Has a rate of its own: the test that uses it up would refuse the other tests. */
  private static final String GREEDY = "a-token-that-asks-for-too-much";

  @TempDir static Path directory;
  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    Files.writeString(directory.resolve("all"), ALL + "\n");
    Files.writeString(directory.resolve("orders"), ORDERS + "\n");
    Files.writeString(directory.resolve("greedy"), GREEDY + "\n");
    serving =
        HttpServing.start(
            """
            tokens:
              all: {file: %1$s/all}
              orders: {file: %1$s/orders, namespaces: orders}
              greedy: {file: %1$s/greedy, namespaces: orders}
            namespaces: {orders: {}, users: {}}
            legacy-routes: on
            limits: {rate: 1000}
            """
                .formatted(directory));
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @Test
  void requestWithoutATokenIsChallenged() throws Exception {
    for (String path :
        List.of(
            "/v1/ids/orders",
            "/v1/decode/1",
            "/v1/layouts",
            "/v1/namespaces",
            "/v1/workers",
            "/v1/segments",
            "/v1/server",
            "/api/snowflake/get/orders",
            "/api/segment/get/orders",
            "/decodeSnowflakeId?snowflakeId=1",
            "/tinyid/id/nextId?bizType=orders",
            "/tinyid/id/nextIdSimple?bizType=orders")) {
      HttpResponse<String> answer = serving.get(path);
      if (!path.startsWith("/api/segment")) { // where no token would help
        assertThat(answer.statusCode()).as(path).isEqualTo(401);
        assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
        assertThat(answer.body())
            .contains("\"detail\":\"authorization: none (expected: Bearer and a token)\"");
      }
    }
  }

  @Test
  void anUnknownTokenIsRefused() throws Exception {
    HttpResponse<String> answer = get("/v1/ids/orders", ALL + "!");
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body())
        .contains("\"detail\":\"authorization: an unknown token (expected: Bearer and a token)\"");
  }

  @Test
  void aTokenWithoutBearerIsRefusedAndNotShown() throws Exception {
    for (String header : List.of("Basic " + ALL, ALL)) {
      HttpResponse<String> answer = serving.get("/v1/ids/orders", "Authorization", header);
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body())
          .contains("\"detail\":\"authorization: not Bearer (expected: Bearer and a token)\"")
          .doesNotContain(ALL);
    }
  }

  @Test
  void bearerWithoutATokenIsCalledThat() throws Exception {
    for (String header : List.of("Bearer", "bearer")) {
      HttpResponse<String> answer = serving.get("/v1/ids/orders", "Authorization", header);
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body())
          .contains(
              "\"detail\":\"authorization: Bearer without a token (expected: Bearer and a token)\"");
    }
  }

  @Test
  void twoTokensAreRefused() throws Exception {
    HttpResponse<String> answer =
        serving.get(
            "/v1/ids/orders",
            "Authorization",
            "Bearer " + ALL,
            "Authorization",
            "Bearer " + ORDERS);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("authorization: several headers (expected: one)");
  }

  @Test
  void aTokenOpensItsNamespaces() throws Exception {
    assertThat(get("/v1/ids/orders", ORDERS).statusCode()).isEqualTo(200);
    assertThat(get("/v1/ids/users", ALL).statusCode()).isEqualTo(200);
    assertThat(serving.get("/v1/ids/users", "Authorization", "bearer  " + ALL).statusCode())
        .isEqualTo(200);
    HttpResponse<String> other = get("/v1/ids/users", ORDERS);
    assertThat(other.statusCode()).isEqualTo(403);
    assertThat(other.body())
        .contains("namespace: users (expected: one of orders, which token orders may use)");
  }

  /** Hides whether the namespace exists, because the token is for others. */
  @Test
  void aTokenDoesNotSeeOtherNamespaces() throws Exception {
    for (String path :
        List.of(
            "/v1/ids/",
            "/api/segment/get/",
            "/tinyid/id/nextId?bizType=",
            "/tinyid/id/nextSegmentId?bizType=")) {
      for (String name : List.of("users", "nothing")) {
        HttpResponse<String> answer = get(path + name, ORDERS);
        assertThat(answer.statusCode()).as(path + name).isEqualTo(403);
        assertThat(answer.body())
            .contains(
                "namespace: " + name + " (expected: one of orders, which token orders may use)");
      }
    }
  }

  @Test
  void aTokenSeesItsNamespaces() throws Exception {
    assertThat(get("/v1/namespaces", ORDERS).body()).contains("orders").doesNotContain("users");
    assertThat(get("/v1/workers", ORDERS).body()).contains("orders").doesNotContain("users");
    assertThat(get("/v1/namespaces", ALL).body()).contains("orders").contains("users");
    assertThat(get("/v1/workers", ALL).body()).contains("orders").contains("users");
  }

  @Test
  void aTokenSeesTheMarksOfItsNamespaces() throws Exception {
    String yaml =
        """
        store: 'redis://127.0.0.1:%2$d?timeout=15s'
        tokens:
          all: {file: %1$s/all}
          orders: {file: %1$s/orders, namespaces: orders}
        namespaces: {orders: {}, users: {}}
        """;
    try (RedisServer redis = RedisServer.start();
        HttpServing marked = HttpServing.start(yaml.formatted(directory, redis.port()))) {
      String some = marked.get("/v1/workers", "Authorization", "Bearer " + ORDERS).body();
      assertThat(some).contains("\"marks\":[{\"namespace\":\"orders\",").doesNotContain("users");
      assertThat(marked.get("/v1/workers", "Authorization", "Bearer " + ALL).body())
          .contains("\"marks\":[{\"namespace\":\"orders\",", "},{\"namespace\":\"users\",\"since");
    }
  }

  @Test
  void tinyidTakesTheTokenAsAParameter() throws Exception {
    assertThat(serving.get("/tinyid/id/nextIdSimple?bizType=orders&token=" + ORDERS).body())
        .matches("[0-9]+");
    assertThat(serving.get("/tinyid/id/nextId?bizType=users&token=" + ORDERS).statusCode())
        .isEqualTo(403);
    assertThat(serving.get("/tinyid/id/nextId?bizType=users&token=x").statusCode()).isEqualTo(401);
    assertThat(serving.get("/v1/ids/orders?token=" + ORDERS).statusCode()).isEqualTo(401);
  }

  @Test
  void healthIsForAll() throws Exception {
    for (String path : List.of("/livez", "/readyz", "/openapi.json", "/", "/console/console.js")) {
      assertThat(serving.get(path).statusCode()).as(path).isEqualTo(200);
    }
  }

  @Test
  void metricsOfAllNamespacesNeedATokenForAll() throws Exception {
    assertThat(get("/metrics", ALL).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = get("/metrics", ORDERS);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("token: orders (expected: a token for every namespace)");
  }

  /** A probe asks every few seconds, without a token, and anyone may. */
  @Test
  void aProbeDoesNotLearnTheAddressOfAStoreThatIsDownAndIsNotLogged() throws Exception {
    String source = "redis://127.0.0.1:1?allow-counters=true";
    try (LogLines audit = new LogLines("io.firn.audit");
        HttpServing away =
            HttpServing.startClosed(
                "{token-file: %s/all, namespaces: {away: {type: segment, source: '%s'}}}"
                    .formatted(directory, source))) {
      away.server().openNamespaces();
      String known = "";
      while (!known.contains("127.0.0.1:1")) {
        known = away.get("/readyz", "Authorization", "Bearer " + ALL).body();
      }
      HttpResponse<String> probe = away.get("/readyz");
      assertThat(probe.statusCode()).isEqualTo(503);
      assertThat(probe.body())
          .contains("\"detail\":\"Not ready; send a token to see why\"")
          .doesNotContain("127.0.0.1");
      assertThat(audit.messages()).isEmpty();
    }
  }

  @Test
  void noMoreIsIssuedThanTheRateAllows() throws Exception {
    HttpResponse<String> never = get("/v1/ids/orders?count=1001", GREEDY);
    assertThat(never.statusCode()).isEqualTo(400);
    assertThat(never.body()).contains("count: 1001 (expected: 1..1000, the IDs a second of token ");
    HttpResponse<String> answer = get("/v1/ids/orders?count=1000", GREEDY);
    while (answer.statusCode() == 200) {
      answer = get("/v1/ids/orders?count=1000", GREEDY);
    }
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(answer.body()).contains("rate: 1000 more (expected: at most 1000 IDs a second)");
  }

  private static HttpResponse<String> get(String path, String token) throws Exception {
    return serving.get(path, "Authorization", "Bearer " + token);
  }

  /** Strangers are disconnected first, and a long body may take a while to come. */
  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 9", "Transfer-Encoding: chunked"})
  void clientIsKnownBeforeItsBodyHasCome(String body) throws Exception {
    try (HttpServing limited =
            HttpServing.start(
                "{token-file: %s/all, limits: {connections-per-address: 1}}".formatted(directory));
        RawHttp first = limited.connect()) {
      String head =
          "POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n";
      first.send(head.formatted(ALL, "Expect: 100-continue\r\n" + body + "\r\n"));
      assertThat(first.head()).startsWith("HTTP/1.1 100 ");
      try (RawHttp second = limited.connect()) {
        assertThat(second.get("/livez").answer()).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
