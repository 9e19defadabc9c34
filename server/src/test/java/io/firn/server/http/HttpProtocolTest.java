package io.firn.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.LoneConnections;
import io.firn.server.Service;
import io.firn.server.SwitchedStores;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTP itself: what keeps a connection, what ends it, and what is refused. */
@Timeout(60)
final class HttpProtocolTest {

  private static final int MOST = 1024;

  private static HttpServing serving;

  private static final String LIVEZ = "GET /livez HTTP/1.1\r\nHost: localhost\r\n";

  @BeforeAll
  static void start() throws Exception {
    serving =
        HttpServing.start(
            """
            store: switched:protocol
            limits: {request-size: 1KiB}
            legacy-routes: on
            """);
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @Test
  void aConnectionIsKept() throws Exception {
    try (RawHttp http = serving.connect()) {
      for (int i = 0; i < 3; i++) {
        assertThat(http.get("/livez").answer()).startsWith("HTTP/1.1 200 OK\r\n");
      }
    }
  }

  @Test
  void aConnectionEndsWhenItsClientWants() throws Exception {
    for (String request :
        List.of(
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /livez HTTP/1.0\r\n\r\n")) {
      try (RawHttp http = serving.connect()) {
        assertThat(http.send(request).rest())
            .startsWith("HTTP/1.1 200 OK\r\n")
            .contains("connection: close\r\n")
            .endsWith("\r\n\r\nalive\n");
      }
    }
  }

  /** As {@code ab -k} asks. */
  @Test
  void aConnectionOfHttp10IsKeptWhereItsClientWants() throws Exception {
    try (RawHttp http = serving.connect()) {
      for (int i = 0; i < 3; i++) {
        http.send("GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
        assertThat(http.answer()).contains("connection: keep-alive\r\n").endsWith("alive\n");
      }
    }
  }

  @Test
  void everyAnswerHasADate() throws Exception {
    for (String path : List.of("/livez", "/nowhere", "/")) {
      long before = System.currentTimeMillis() / 1000 * 1000;
      String date = serving.get(path).headers().firstValue("date").orElseThrow();
      assertThat(date).matches("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9:]{8} GMT");
      assertThat(
              ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                  .toInstant()
                  .toEpochMilli())
          .isBetween(before, System.currentTimeMillis());
    }
  }

  @Test
  void aParameterThatIsNotKnownIsRefused() throws Exception {
    for (String each :
        List.of(
            "/v1/ids/default?cuont=3|parameter: cuont (expected: count, format, scope_ms)",
            "/v1/ids/default?count=3&count=4|count: given 2 times (expected: once)",
            "/v1/decode/1?al|parameter: al (expected: layout)",
            "/v1/workers?limti=1|parameter: limti (expected: limit, after)",
            "/v1/layouts?all|parameter: all (expected: none)",
            "/readyz?namespce=default|parameter: namespce (expected: namespace)")) {
      int end = each.indexOf('|');
      assertProblem(
          "GET " + each.substring(0, end) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "400 Bad Request",
          each.substring(end + 1));
    }
  }

  @Test
  void idsMayBePostedFor() throws Exception {
    String head = "POST /v1/ids/default?count=2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
    assertThat(body(answer(head + "0\r\n\r\n")))
        .matches("\\{\"namespace\":\"default\",\"ids\":\\[\"[0-9]+\",\"[0-9]+\"]}");
    assertProblem(
        head + "7\r\n\r\ncount=3",
        "400 Bad Request",
        "body: 7 bytes (expected: none; parameters stand in the query)");
  }

  @Test
  void requestsAreAnsweredInTheirOrder() throws Exception {
    int count = 3_000;
    String one = "GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (RawHttp http = serving.connect()) {
      http.send(one.repeat(count));
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ids.add(Long.valueOf(body(http.answer()).strip()));
      }
      assertThat(ids).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void requestsBehindOneThatWaitsAreAnsweredAfterIt() throws Exception {
    try (RawHttp http = serving.connect()) {
      http.get("/v1/ids/opened-late").get("/livez").get("/v1/ids/opened-late").get("/nowhere");
      assertThat(body(http.answer())).matches("[0-9]+\n");
      assertThat(body(http.answer())).isEqualTo("alive\n");
      assertThat(body(http.answer())).matches("[0-9]+\n");
      assertThat(http.answer()).startsWith("HTTP/1.1 404 Not Found\r\n");
    }
  }

  @Test
  void aRequestMayComeByteByByte() throws Exception {
    try (RawHttp http = serving.connect()) {
      for (char c : "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".toCharArray()) {
        http.send(String.valueOf(c));
      }
      assertThat(body(http.answer())).isEqualTo("alive\n");
    }
  }

  @Test
  void aBodyIsReadAndNotMinded() throws Exception {
    try (RawHttp http = serving.connect()) {
      http.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(body(http.answer())).isEqualTo("alive\n");
      http.send(
          "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
              .concat("3\r\nabc\r\n0\r\n\r\n"));
      assertThat(body(http.answer())).isEqualTo("alive\n");
    }
  }

  @Test
  void aClientThatExpectsToContinueMaySendItsBody() throws Exception {
    try (RawHttp http = serving.connect()) {
      for (int i = 0; i < 2; i++) {
        http.send(LIVEZ + "Expect: 100-Continue\r\n" + "Content-Length: 3\r\n\r\n");
        assertThat(http.head()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
        assertThat(body(http.send("abc").answer())).isEqualTo("alive\n");
      }
    }
  }

  @Test
  void aTooLongBodyIsRefusedBeforeItIsSent() throws Exception {
    assertLastProblem(
        LIVEZ + "Expect: 100-continue\r\n" + "Content-Length: 1025\r\n\r\n",
        "413 Request Entity Too Large",
        "body: over 1024 bytes (expected: at most 1024)");
  }

  @Test
  void anotherExpectationIsRefused() throws Exception {
    assertLastProblem(
        LIVEZ + "Expect: miracles\r\n\r\n",
        "417 Expectation Failed",
        "expect: miracles (expected: 100-continue)");
  }

  /** A proxy in front may read another one of them, and take the rest for another request. */
  @Test
  void aBodyWhoseEndCanBeReadInTwoWaysIsRefused() throws Exception {
    for (String headers :
        List.of(
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: identity\r\n",
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")) {
      try (RawHttp http = serving.connect()) {
        assertThat(http.send(LIVEZ + headers + "\r\n0\r\n\r\n").rest())
            .as(headers)
            .startsWith("HTTP/1.1 400 ")
            .containsOnlyOnce("HTTP/1.1 ");
      }
    }
  }

  @Test
  void anUnknownPathIsNotFound() throws Exception {
    for (String path : List.of("/v1", "/v1/ids", "/v1/ids/", "/v1/ids/a/b", "/V1/layouts")) {
      assertProblem(
          "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "404 Not Found",
          "path: " + path + " (expected: one of those in /openapi.json)");
    }
  }

  @Test
  void onlyReadingIsAllowed() throws Exception {
    assertProblem(
        "POST /v1/layouts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
        "405 Method Not Allowed",
        "method: POST (expected: GET, HEAD)",
        "allow: GET, HEAD\r\n");
    assertProblem(
        "DELETE /tinyid/id/nextId HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "405 Method Not Allowed",
        "method: DELETE (expected: GET, POST)",
        "allow: GET, POST\r\n");
  }

  /** As a client does that takes the server for a proxy; RFC 9112 has every server answer. */
  @Test
  void aTargetMayHaveItsSchemeAndItsHost() throws Exception {
    try (RawHttp http = serving.connect()) {
      for (String target :
          List.of(
              "http://localhost/livez",
              "HTTP://localhost:7608/livez?",
              "https://[::1]:7608/livez")) {
        http.send("GET " + target + " HTTP/1.1\r\nHost: attacker.example\r\n\r\n");
        assertThat(http.answer()).startsWith("HTTP/1.1 200 ").endsWith("alive\n");
      }
      http.send("GET http://localhost/v1/ids/default?count=2 HTTP/1.1\r\nHost: a.example\r\n\r\n");
      assertThat(body(http.answer())).matches("[0-9]+\n[0-9]+\n");
      http.send("GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(http.answer()).startsWith("HTTP/1.1 200 ").contains("text/html");
    }
  }

  @Test
  void theHostOfATargetIsTheOneThatCounts() throws Exception {
    assertProblem(
        "GET http://attacker.example/v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "403 Forbidden",
        "host: attacker.example (expected: an IP address, or one of the setting hosts: localhost)");
    assertThat(answer("GET http://attacker.example/v1/ids/default HTTP/1.0\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ");
    for (String host : List.of("", "user@localhost", "?x", "/x", "a\177")) {
      assertProblem(
          "GET http://" + host + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "400 Bad Request",
          "target: http://" + host + " (expected: a path, or a URL with a host and no user)");
    }
    assertProblem(
        "GET http://localhost/livez HTTP/1.1\r\n\r\n",
        "400 Bad Request",
        "host: none, or several (expected: one)");
  }

  @Test
  void aBadEscapeIsRefused() throws Exception {
    assertProblem(
        "GET /v1/ids/a%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "400 Bad Request", "path: a%zz (expected: two hexadecimal digits after each %)");
    assertProblem(
        "GET /v1/ids/a?count=%1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "400 Bad Request",
        "query: /v1/ids/a?count=%1 (expected: two hexadecimal digits after each %)");
  }

  @Test
  void anErrorIsShortHoweverLongTheRequest() throws Exception {
    assertThat(body(answer("GET /" + "a".repeat(900) + " HTTP/1.0\r\n\r\n"))).hasSizeLessThan(950);
  }

  @Test
  void aRequestNeedsOneHost() throws Exception {
    String two = "Host: a\r\nHost: b\r\n";
    for (String rest :
        List.of("1.1\r\n", "1.2\r\n", "1.0\r\n" + two, "1.1\r\n" + two, "1.2\r\n" + two)) {
      assertThat(answer("GET /livez HTTP/" + rest + "\r\n"))
          .startsWith("HTTP/1.1 400 ")
          .contains("host: none, or several (expected: one)");
    }
    assertThat(answer("GET /livez HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
  }

  /** One that is repeated is a list; see RFC 9110, section 5.3. */
  @ParameterizedTest
  @CsvSource({
    "GET /v1/ids/default, Accept: image/png, Accept: text/plain, 200",
    "GET /v1/ids/default, Accept: image/png, Accept: image/gif, 406",
    "GET /v1/ids/default, Accept:, accept:, 200",
    "GET /console/api.js, If-None-Match:, if-none-match: *, 304",
    "GET /livez, Expect: 100-continue, expect: foo, 417"
  })
  void aHeaderThatIsRepeatedIsAList(String request, String first, String second, int status)
      throws Exception {
    assertThat(
            answer(
                request
                    + " HTTP/1.1\r\nHost: localhost\r\n"
                    + first
                    + "\r\n"
                    + second
                    + "\r\n\r\n"))
        .startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void bytesThatAreNotHttpAreRefused() throws Exception {
    for (String request :
        List.of(
            "nonsense\r\n\r\n",
            "GET /livez FTP/1.1\r\n\r\n",
            "GET /livez HTTP/2.0\r\nHost: localhost\r\n\r\n",
            "GET /livez HTTP/0.9\r\nHost: localhost\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET /livez HTTP/1.1\r\nno colon\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")) {
      assertLastProblem(request, "400 Bad Request", "request: not understood (expected: HTTP/1.1)");
    }
  }

  @Test
  void aLongRequestLineIsRefused() throws Exception {
    int overhead = "GET / HTTP/1.1".length();
    for (int length : new int[] {MOST - 1, MOST}) {
      String line = "GET /" + "a".repeat(length - overhead) + " HTTP/1.1\r\n";
      assertThat(answer(line + "Host: localhost\r\n\r\n")).startsWith("HTTP/1.1 404 ");
    }
    assertLastProblem(
        "GET /" + "a".repeat(MOST + 1 - overhead) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "414 Request-URI Too Long",
        "request line: over 1024 bytes (expected: at most 1024)");
  }

  @Test
  void longHeadersAreRefused() throws Exception {
    String head = "GET /livez HTTP/1.1\r\nHost: localhost\r\n";
    int overhead = "Host: localhostA: ".length();
    for (int length : new int[] {MOST - 1, MOST}) {
      assertThat(answer(head + "A: " + "a".repeat(length - overhead) + "\r\n\r\n"))
          .startsWith("HTTP/1.1 200 ");
    }
    assertLastProblem(
        head + "A: " + "a".repeat(MOST + 1 - overhead) + "\r\n\r\n",
        "431 Request Header Fields Too Large",
        "headers: too large (expected: at most 100 lines in 1024 bytes, and at most 24 headers that the"
            + " server reads)");
  }

  @Test
  void manyHeadersAreRefused() throws Exception {
    String head = "GET /livez HTTP/1.1\r\nHost: localhost\r\n";
    assertThat(answer(head + "A:\r\n".repeat(99) + "\r\n")).startsWith("HTTP/1.1 200 ");
    assertLastProblem(
        head + "A:\r\n".repeat(100) + "\r\n",
        "431 Request Header Fields Too Large",
        "headers: too large (expected: at most 100 lines in 1024 bytes, and at most 24 headers that the"
            + " server reads)");
  }

  @Test
  void aLongBodyIsRefused() throws Exception {
    for (int length : new int[] {MOST - 1, MOST}) {
      assertThat(answer(post(length))).startsWith("HTTP/1.1 405 ");
    }
    assertLastProblem(
        post(MOST + 1),
        "413 Request Entity Too Large",
        "body: over 1024 bytes (expected: at most 1024)");
  }

  private static String post(int length) {
    return "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        + length
        + "\r\n\r\n"
        + "a".repeat(length);
  }

  @Test
  void clientThatSendsTooSlowlyIsDisconnected() throws Exception {
    long begin = System.nanoTime();
    try (HttpServing hasty = HttpServing.start("limits: {request-time: 300ms}");
        RawHttp head = hasty.connect();
        RawHttp body = hasty.connect();
        RawHttp noBody = hasty.connect()) {
      head.send("GET /livez HTTP/1.1\r\nHo");
      body.send("POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1");
      noBody.send("POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n");
      assertThat(head.rest()).isEmpty();
      assertThat(body.rest()).isEmpty();
      assertThat(noBody.rest()).isEmpty();
    }
    assertThat(System.nanoTime() - begin)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
  }

  @Test
  void noMoreIsAnsweredThanTheClientTakes() throws Exception {
    SlowReader reader = new SlowReader();
    reader.config().setWriteBufferWaterMark(new WriteBufferWaterMark(32 << 10, 64 << 10));
    Service service = serving.server().service();
    new HttpProtocol(service).open(reader.pipeline(), LoneConnections.of(reader, service));
    String request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    reader.writeInbound(Unpooled.copiedBuffer(request.repeat(100), US_ASCII));
    int oneAnswer = serving.get("/openapi.json").body().length() + 1_000;
    assertThat(reader.unsafe().outboundBuffer().totalPendingWriteBytes())
        .isBetween(64L << 10, (64L << 10) + oneAnswer);
    assertThat(reader.config().isAutoRead()).isFalse();
    reader.reads = true;
    reader.flush();
    while (!reader.config().isAutoRead()) { // on a slow machine, in several turns
      reader.runPendingTasks();
    }
    assertThat(reader.outboundMessages())
        .filteredOn(message -> ((ByteBuf) message).isReadable())
        .as("a head and a body each")
        .hasSize(200);
    assertThat(reader.config().isAutoRead()).isTrue();
    reader.finishAndReleaseAll();
  }

  /** A channel whose other end reads when it is told to. */
  private static final class SlowReader extends EmbeddedChannel {
    private boolean reads;

    @Override
    protected void doWrite(ChannelOutboundBuffer pending) throws Exception {
      if (reads) {
        super.doWrite(pending);
      }
    }
  }

  @Test
  void beyondTheLimitOfConnectionsOnlyProbesAndMonitoringAreServed() throws Exception {
    try (HttpServing small = HttpServing.start("limits: {connections: 2, request-time: 10m}");
        RawHttp first = small.connect();
        RawHttp second = small.connect()) {
      assertThat(body(first.get("/livez").answer())).isEqualTo("alive\n");
      assertThat(body(second.get("/livez").answer())).isEqualTo("alive\n");
      for (String path : List.of("/livez", "/readyz", "/metrics", "/")) {
        try (RawHttp third = small.connect()) {
          assertThat(third.get(path).rest())
              .startsWith("HTTP/1.1 200 OK")
              .contains("connection: close");
        }
      }
      try (RawHttp third = small.connect()) {
        String body =
            "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
                .concat(
                    "\"code\":\"unavailable\",\"detail\":\"Too many connections: this server has 2,"
                        + " its limit (limits.connections)\"}");
        assertThat(third.get("/v1/ids/default").rest())
            .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
            .contains("retry-after: 1\r\n", "connection: close\r\n")
            .endsWith(body);
      }
      List<RawHttp> silent = new ArrayList<>();
      for (int i = 0; i < 250; i++) {
        silent.add(small.connect());
        if (i % 50 == 49) {
          try (RawHttp probe = small.connect()) {
            assertThat(probe.get("/livez").rest()).startsWith("HTTP/1.1 200 OK");
          }
        }
      }
      assertThat(silent.get(0).rest()).isIn("", "reset");
      silent.forEach(RawHttp::close);
      assertThat(body(second.get("/livez").answer())).isEqualTo("alive\n");
    }
  }

  @Test
  void failureOfTheStoreIsReported() throws Exception {
    SwitchedStores.named("protocol").down(true);
    try {
      assertProblem(
          "GET /v1/ids/never-opened HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "503 Service Unavailable",
          "Store switched: did not answer",
          "retry-after: 1\r\n");
    } finally {
      SwitchedStores.named("protocol").down(false);
    }
  }

  private static String answer(String request) throws IOException {
    try (RawHttp http = serving.connect()) {
      return http.send(request).answer();
    }
  }

  private static String body(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  /** The connection goes on after it. */
  private static void assertProblem(String request, String status, String detail, String... headers)
      throws IOException {
    try (RawHttp http = serving.connect()) {
      String answer = http.send(request).get("/livez").answer();
      assertThat(answer).isEqualTo(problem(status, detail, String.join("", headers)));
      assertThat(body(http.answer())).isEqualTo("alive\n");
    }
  }

  /** The connection ends with it. */
  private static void assertLastProblem(String request, String status, String detail)
      throws IOException {
    try (RawHttp http = serving.connect()) {
      assertThat(http.send(request).rest())
          .isEqualTo(problem(status, detail, "connection: close\r\n"));
    }
  }

  private static String problem(String status, String detail, String headers) {
    String body =
        "{\"type\":\"about:blank\",\"title\":\""
            + status.substring(4)
            + "\",\"status\":"
            + status.substring(0, 3)
            + ",\"code\":\""
            + code(status.substring(0, 3), detail)
            + "\",\"detail\":\""
            + detail
            + "\"}";
    return "HTTP/1.1 "
        + status
        + "\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\n"
        + ("content-length: " + body.length() + "\r\n" + headers + "\r\n" + body);
  }

  private static String code(String status, String detail) {
    return switch (status) {
      case "400" -> "bad_request";
      case "403" -> "forbidden";
      case "404" -> "not_found";
      case "405" -> "method_not_allowed";
      case "413" -> "body_too_large";
      case "414" -> "uri_too_long";
      case "417" -> "expectation_failed";
      case "431" -> "headers_too_large";
      default -> detail.startsWith("Store ") ? "store" : "unavailable";
    };
  }
}
