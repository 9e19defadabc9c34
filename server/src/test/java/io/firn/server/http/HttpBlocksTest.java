package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.block.IdBlock;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** Tests of {@code POST /v1/blocks/NAMESPACE}. */
@Timeout(120)
final class HttpBlocksTest {

  private static final String NAMED =
      "{\"count\":\"%d\",\"job\":\"%s\",\"shape\":\"%s\",\"partition\":%d,\"page\":%d}";

  @TempDir static Path directory;
  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    Files.writeString(directory.resolve("all"), "the-secret-of-all");
    Files.writeString(directory.resolve("orders"), "the-secret-of-orders");
    Files.writeString(directory.resolve("ordinary"), "the-secret-of-ordinary");
    Files.writeString(directory.resolve("reader"), "the-secret-of-reader");
    serving =
        HttpServing.start(
            """
            on-demand: off
            namespaces:
              default:
              orders:
              paged:
              sequence-first: {layout: 41t+12s+10w@2026-01-01T00:00:00Z/1ms}
              narrow: {layout: 41t+20w+2s@2026-01-01T00:00:00Z/1ms}
              datacenters: {layout: leaf}
              numbers: {type: segment}
            tokens:
              all: {file: %1$s/all, scopes: [issue, reserve], rate: off}
              orders: {file: %1$s/orders, scopes: [issue, reserve], namespaces: [orders], rate: 1000}
              ordinary: {file: %1$s/ordinary}
              reader: {file: %1$s/reader, scopes: [read]}
            """
                .formatted(directory));
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  private static HttpResponse<String> post(String token, String namespace, String body)
      throws Exception {
    return serving.post(
        "/v1/blocks/" + namespace, body, "Authorization", "Bearer the-secret-of-" + token);
  }

  private static HttpResponse<String> post(String namespace, String body) throws Exception {
    return post("all", namespace, body);
  }

  private static Map<String, Object> json(HttpResponse<String> answer) {
    return new Yaml().load(answer.body()); // JSON is YAML
  }

  private static IdBlock block(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return IdBlock.parse((String) json(answer).get("block"));
  }

  @ParameterizedTest
  @CsvSource({
    "default, 1",
    "default, 1000000",
    "default, 600000000",
    "sequence-first, 600000000",
    "narrow, 3000000",
    "datacenters, 600000000",
  })
  void theFormulaComputesEveryId(String namespace, long count) throws Exception {
    HttpResponse<String> answer = post(namespace, "{\"count\":\"" + count + "\"}");
    IdBlock block = block(answer);
    assertThat(block.size()).isEqualTo(count);
    Map<String, Object> members = json(answer);
    assertThat(members)
        .containsEntry("namespace", namespace)
        .containsEntry("count", Long.toString(count))
        .containsEntry("first", Long.toString(block.first()))
        .containsEntry("last", Long.toString(block.last()));
    for (long i = 0; i < count; i += 1 + count / 997) {
      assertThat(id(members, i)).as("index %d", i).isEqualTo(block.get(i));
    }
    assertThat(id(members, count - 1)).isEqualTo(block.last());
  }

  @Test
  void aNamespaceWithAWatermarkIsRefusedWithWhatReservesBlocksOutsideOfIt() throws Exception {
    assertThat(block(post("paged", "{\"count\":\"1\"}")).size()).isEqualTo(1);
    HttpResponse<String> begun =
        serving.post("/v1/watermark/paged", "", "Authorization", "Bearer the-secret-of-all");
    assertThat(begun.statusCode()).isEqualTo(200);
    HttpResponse<String> answer = post("paged", "{\"count\":\"1\"}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer))
        .containsEntry(
            "detail",
            "Namespace paged has a watermark, whose readers may be past the IDs of a block; use"
                + " another namespace, or use firn next --block --outside-watermark");
  }

  /** As the docs have it. */
  @SuppressWarnings("unchecked")
  private static long id(Map<String, Object> members, long i) {
    Map<String, Object> f = (Map<String, Object>) members.get("formula");
    List<String> workers = (List<String>) f.get("workers");
    long tick = Long.parseLong((String) f.get("tick")) + (i >> (int) f.get("tick_digit"));
    int worker = (int) ((i >> (int) f.get("worker_digit")) % workers.size());
    long sequence =
        (i >> (int) f.get("sequence_digit")) % Long.parseLong((String) f.get("sequences"));
    return tick << (int) f.get("tick_shift")
        | Long.parseLong(workers.get(worker))
        | sequence << (int) f.get("sequence_shift");
  }

  @Test
  void aFreshBlockIsNeverGivenAgain() throws Exception {
    IdBlock first = block(post("default", "{\"count\":1000}"));
    IdBlock second = block(post("default", "{\"count\":1000}"));
    assertThat(first.first() > second.last() || second.first() > first.last()).isTrue();
  }

  /** The metrics count it. */
  @Test
  void aBlockMayBeginInThePast() throws Exception {
    double before = metric("firn_block_ids_total");
    Instant begin = Instant.now().minus(Duration.ofDays(1)).truncatedTo(ChronoUnit.MILLIS);
    IdBlock block = block(post("default", "{\"count\":\"1000\",\"begin\":\"" + begin + "\"}"));
    assertThat(block.from()).isEqualTo(begin);
    assertThat(block.layout().parse(block.first()).instant()).isEqualTo(begin);
    assertThat(metric("firn_block_ids_total")).isEqualTo(before + 1000);
    assertThat(metric("firn_blocks_total")).isPositive();
  }

  private static double metric(String name) throws Exception {
    HttpResponse<String> metrics =
        serving.get("/metrics", "Authorization", "Bearer the-secret-of-reader");
    return metrics
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aNameHasTheSameBlockForever() throws Exception {
    IdBlock first = block(post("orders", NAMED.formatted(1000, "load", "4:9f", 3, 7)));
    assertThat(block(post("orders", NAMED.formatted(1000, "load", "4:9f", 3, 7)))).isEqualTo(first);
    assertThat(block(post("orders", NAMED.formatted(1000, "load", "4:9f", 3, 8))))
        .isNotEqualTo(first);
  }

  @Test
  void anotherShapeIsAConflictThatNamesBoth() throws Exception {
    block(post("orders", NAMED.formatted(10, "shaped", "4:9f", 0, 0)));
    HttpResponse<String> answer = post("orders", NAMED.formatted(10, "shaped", "8:9f", 0, 0));
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(json(answer)).containsEntry("code", "block_shape");
    assertThat(answer.body()).contains("Job shaped has shape 8:9f, and had shape 4:9f when");
    HttpResponse<String> size = post("orders", NAMED.formatted(11, "shaped", "4:9f", 0, 0));
    assertThat(size.statusCode()).isEqualTo(409);
    assertThat(size.body()).contains("Page 0 of partition 0 of job shaped has 11 IDs, and had 10");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|body: not understood",
        "[]|body: not understood",
        "{\"count\":\"1\"|body: not understood",
        "{\"count\":\"1\"} {}|body: not understood",
        "{}|count: missing",
        "{\"count\":\"0\"}|count: 0 (expected: 1..1099511627776)",
        "{\"count\":\"-1\"}|count: -1 (expected: 1..",
        "{\"count\":\"1e3\"}|count: 1e3 (expected: 1..",
        "{\"count\":1.5}|count: 1.5 (expected: a string or an integer)",
        "{\"count\":null}|count: null (expected: a string or an integer)",
        "{\"count\":\"1099511627777\"}|count: 1099511627777 (expected: 1..",
        "{\"count\":9223372036854775808}|count: 9223372036854775808 (expected: 1..",
        "{\"count\":\"1099511627776\"}|count: 1099511627776 (expected: at most ",
        "{\"count\":\"1\",\"count\":\"2\"}|count: given twice",
        "{\"count\":\"1\",\"size\":\"2\"}|member: size (expected: one of count, begin, job, shape",
        "{\"count\":\"1\",\"begin\":\"2\"}|begin: 2 (expected: an instant, as 2026-",
        "{\"count\":\"1\",\"begin\":\"2020-01-01T00:00:00Z\"}|begin: 2020-01-01T00:00:00Z (exp",
        "{\"count\":\"1\",\"begin\":\"2199-01-01T00:00:00Z\"}|begin: 2199-01-01T00:00:00Z (exp",
        "{\"count\":\"1\",\"begin\":\"2026-11-01T00:00:00Z\",\"job\":\"j\"}|begin: 2026-11-01T00:",
        "{\"count\":\"1\",\"job\":\"j\"}|shape: missing (expected: all of job, shape, partition",
        "{\"count\":\"1\",\"job\":\"a b\",\"shape\":\"s\",\"partition\":0,\"page\":0}|job: a b"
            + " (exp",
        "{\"count\":\"1\",\"job\":\"a\",\"shape\":\"s\",\"partition\":0,\"page\":65536}|page:"
            + " 65536",
      })
  void whatCannotBeGrantedIsAProblem(String body, String detail) throws Exception {
    HttpResponse<String> answer = post("default", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat((String) json(answer).get("detail")).contains(detail);
  }

  @Test
  void theRightsAreThoseOfIdsAndTheScopeReserve() throws Exception {
    String body = "{\"count\":\"1000\"}";
    assertThat(serving.post("/v1/blocks/orders", body).statusCode()).isEqualTo(401);
    assertThat(post("reader", "orders", body).statusCode()).isEqualTo(403);
    assertThat(post("ordinary", "orders", body).body())
        .contains("token: ordinary (expected: a token with the scope reserve among its scopes)");
    assertThat(post("orders", "default", body).statusCode()).isEqualTo(403);
    assertThat(post("all", "unknown", body).statusCode()).isEqualTo(404);
    assertThat(post("orders", "orders", "{\"count\":\"1001\"}").body())
        .contains("count: 1001 (expected: 1..1000, the IDs a second of token orders)");
    assertThat(post("orders", "orders", body).statusCode()).isEqualTo(200);
    HttpResponse<String> numbers = post("all", "numbers", body);
    assertThat(numbers.statusCode()).isEqualTo(400);
    assertThat(numbers.body()).contains("namespace: numbers (expected: one of type snowflake)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT"})
  void itTakesPostOnly(String method) {
    try (RawHttp http = serving.connect()) {
      String answer =
          http.send(method + " /v1/blocks/orders HTTP/1.0\r\nContent-Length: 0\r\n\r\n").rest();
      assertThat(answer).contains(" 405 ").contains("allow: POST");
    }
  }

  @Test
  void aBodyMayComeInParts() {
    try (RawHttp http = serving.connect()) {
      http.send(
          "POST /v1/blocks/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer"
              + " the-secret-of-all\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (String part : List.of("{\"cou", "nt\":", "\"12\"", "}")) {
        http.send(Integer.toHexString(part.length()) + "\r\n" + part + "\r\n");
      }
      assertThat(http.send("0\r\n\r\n").answer()).contains(" 200 ").contains("\"count\":\"12\"");
      assertThat(http.get("/livez").answer()).contains(" 200 ");
    }
  }
}
