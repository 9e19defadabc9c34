package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.server.SnowflakeStatus;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of {@code /v1/ids/NAMESPACE}. */
final class HttpIdsTest {

  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    serving =
        HttpServing.start(
            """
            limits: {count: 20, namespaces: 5}
            namespaces:
              default:
              wide: {layout: instagram, allow-under-ten-years: on}
              narrow: {layout: 41t+19w+3s@2026-01-01T00:00:00Z/1ms}
            on-demand: on
            """);
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @Test
  void anIdIsALine() throws Exception {
    try (RawHttp http = serving.connect()) {
      String answer = http.get("/v1/ids/default").answer();
      String id = answer.lines().reduce((first, last) -> last).orElseThrow();
      assertThat(answer)
          .isEqualTo(
              String.join(
                  "\r\n",
                  "HTTP/1.1 200 OK",
                  "content-type: text/plain",
                  "cache-control: no-store",
                  "content-length: " + (id.length() + 1),
                  "",
                  id + "\n"));
      assertThat(IdLayout.CLASSIC.parse(Long.parseLong(id)).instant().toEpochMilli())
          .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
    }
  }

  @Test
  void jsonQuotesIds() throws Exception {
    HttpResponse<String> answer =
        serving.get("/v1/ids/default?count=2", "Accept", "application/json");
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.body())
        .matches("\\{\"namespace\":\"default\",\"ids\":\\[\"[0-9]+\",\"[0-9]+\"]}");
  }

  @Test
  void manyIdsGrow() throws Exception {
    List<Long> ids = ids(serving.get("/v1/ids/default?count=20"));
    assertThat(ids).hasSize(20).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void moreIdsThanATickHoldsAreWaitedForOffTheLoop() throws Exception {
    assertThat(ids(serving.get("/v1/ids/narrow?count=20"))).hasSize(20).isSorted();
    assertThat(ids(serving.get("/v1/ids/default"))).hasSize(1);
  }

  @Test
  void refusesACountBeyondTheLimit() throws Exception {
    assertThat(ids(serving.get("/v1/ids/default?count=1"))).hasSize(1);
    assertThat(ids(serving.get("/v1/ids/default?count=19"))).hasSize(19);
    assertThat(ids(serving.get("/v1/ids/default?count=20"))).hasSize(20);
    for (String count : List.of("0", "21", "-1", "x", "", "9999999999")) {
      assertThat(serving.get("/v1/ids/default?count=" + count).body())
          .isEqualTo(problem(400, "Bad Request", "count: " + count + " (expected: 1..20)"));
    }
  }

  @Test
  void writesAnyFormat() throws Exception {
    assertThat(serving.get("/v1/ids/default?format=HEX").body()).matches("[0-9a-f]{16}\n");
    assertThat(serving.get("/v1/ids/default?format=base62&count=2").body())
        .matches("([0-9A-Za-z]{11}\n){2}");
    assertThat(
            serving
                .get("/v1/ids/default?format=base32", "Accept", "application/json;charset=utf-8")
                .body())
        .matches("\\{\"namespace\":\"default\",\"ids\":\\[\"[0-9A-Z]{13}\"]}");
    assertThat(serving.get("/v1/ids/default?format=roman").body())
        .contains("\"detail\":\"format: roman (expected: decimal, hex, ");
  }

  @Test
  void opensANamespaceThatIsAskedFor() throws Exception {
    assertThat(ids(serving.get("/v1/ids/orders-2026?count=3"))).hasSize(3);
    assertThat(ids(serving.get("/v1/ids/orders%2d2026"))).hasSize(1);
    assertThat(serving.get("/v1/ids/a%20b").body())
        .isEqualTo(
            problem(400, "Bad Request", "namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)"));
    assertThat(serving.get("/v1/ids/" + "n".repeat(64)).statusCode()).isEqualTo(200);
    assertThat(serving.get("/v1/ids/" + "n".repeat(65)).statusCode()).isEqualTo(400);
  }

  @Test
  void refusesTypesThatTheClientDoesNotAccept() throws Exception {
    HttpResponse<String> answer = serving.get("/v1/ids/default", "Accept", "text/html");
    assertThat(answer.statusCode()).isEqualTo(406);
    assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
    assertThat(answer.body())
        .isEqualTo(
            problem(
                406,
                "Not Acceptable",
                "accept: text/html (expected: text/plain, application/json)"));
  }

  /** Generated clients for browsers send no Accept, and expect JSON. */
  @Test
  void postAnswersJsonUnlessTextIsWanted() throws Exception {
    try (RawHttp http = serving.connect()) {
      String post = "POST /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n";
      http.send(post + "Accept: */*\r\n\r\n");
      assertThat(http.answer()).contains("{\"namespace\":\"default\",\"ids\":[");
      http.send(post + "Accept: text/plain\r\n\r\n");
      assertThat(http.answer()).contains("content-type: text/plain");
    }
  }

  /** Generated clients for Python name the type of problems only. */
  @Test
  void aRouteWithOneTypeAnswersWhateverIsWanted() throws Exception {
    HttpResponse<String> answer = serving.get("/readyz", "Accept", "application/problem+json");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("ready\n");
  }

  @Test
  void aHeadHasNoBody() throws Exception {
    try (RawHttp http = serving.connect()) {
      http.send("HEAD /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      http.get("/livez");
      assertThat(http.head())
          .isEqualTo(
              String.join(
                  "\r\n",
                  "HTTP/1.1 200 OK",
                  "content-type: text/plain",
                  "cache-control: no-store",
                  "content-length: 6",
                  "",
                  ""));
      assertThat(http.answer()).endsWith("\r\n\r\nalive\n");
    }
  }

  /** Its answer has no body, so nobody would read the ID. */
  @Test
  void aHeadIssuesNothing() throws Exception {
    long issued = issued();
    try (RawHttp http = serving.connect()) {
      http.send("HEAD /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(http.head())
          .startsWith("HTTP/1.1 405 Method Not Allowed\r\n")
          .contains("allow: GET, POST\r\n");
      assertThat(http.get("/livez").answer()).endsWith("\r\n\r\nalive\n");
    }
    assertThat(issued()).isEqualTo(issued);
  }

  private static long issued() {
    return serving.server().service().namespaces().statuses().stream()
        .filter(status -> status.name().equals("default"))
        .mapToLong(status -> ((SnowflakeStatus) status).stats().issued())
        .sum();
  }

  private static String problem(int status, String title, String detail) {
    return "{\"type\":\"about:blank\",\"title\":\""
        + title
        + "\",\"status\":"
        + status
        + ",\"code\":\""
        + (status == 406 ? "not_acceptable" : "bad_request")
        + "\",\"detail\":\""
        + detail
        + "\"}";
  }

  private static List<Long> ids(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Arrays.stream(answer.body().split("\n", -1))
        .filter(line -> !line.isEmpty())
        .map(Long::valueOf)
        .toList();
  }
}
