package io.firn.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that no client should send. Each may cost its own connection, and nobody else's. */
@Timeout(120)
final class HttpFuzzTest {

  private static final int TRIALS = 400;
  private static final long SEED = Long.getLong("firn.seed", 20261121);
  private static final Pattern ANSWERS =
      Pattern.compile("(reset|HTTP/1\\.1 [2-5][0-9]{2} [A-Z].*)?", Pattern.DOTALL);

  private static final List<String> GOOD =
      List.of(
          "GET /v1/ids/default?count=3 HTTP/1.1\r\nHost: [::]\r\nAccept: application/json\r\n\r\n",
          "HEAD /v1/layouts HTTP/1.1\r\nHost: [::]\r\n\r\n",
          "GET http://localhost/v1/ids/default HTTP/1.1\r\nHost: [::]\r\n\r\n",
          "GET /v1/decode/175928847299117063?layout=discord HTTP/1.0\r\n\r\n",
          "POST /tinyid/id/nextId?bizType=default HTTP/1.1\r\nHost: [::]\r\nContent-Length: 5\r\n"
              .concat("\r\nabcde"),
          "GET /livez HTTP/1.1\r\nHost: [::]\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
              .concat("\r\n"));

  private static final List<String> PARTS =
      List.of(
          "\r\n",
          "\n",
          "\0",
          " ",
          ":",
          "%",
          "%00",
          "?",
          "/",
          "\r\n\r\n",
          "GET ",
          "HTTP/1.1",
          "Content-Length: 99999999999999999999\r\n",
          "Transfer-Encoding: chunked\r\n",
          "ffffffffffffffff\r\n",
          "Connection: close\r\n",
          "é\uffff",
          "a".repeat(2_000));

  @Test
  void theServerOutlivesEveryRequest() throws Exception {
    Random random = new Random(SEED);
    try (HttpServing serving =
        HttpServing.start(
            """
            limits: {request-size: 1KiB, request-time: 200ms, connections: 2000}
            legacy-routes: on
            """)) {
      for (int trial = 0; trial < TRIALS; trial++) {
        byte[] request = request(random);
        String answer = answer(serving, request, random);
        assertThat(answer)
            .as("seed %d, trial %d: %s", SEED, trial, new String(request, ISO_8859_1))
            .matches(ANSWERS)
            .doesNotContain("unexpected error");
      }
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(200);
    }
  }

  private static byte[] request(Random random) {
    if (random.nextInt(10) == 0) {
      byte[] garbage = new byte[random.nextInt(3_000)];
      random.nextBytes(garbage);
      return garbage;
    }
    StringBuilder request = new StringBuilder();
    for (int i = random.nextInt(3); i >= 0; i--) {
      request.append(GOOD.get(random.nextInt(GOOD.size())));
    }
    for (int i = random.nextInt(5); i >= 0 && request.length() > 0; i--) {
      change(request, random);
    }
    return request.toString().getBytes(ISO_8859_1);
  }

  private static void change(StringBuilder request, Random random) {
    int at = random.nextInt(request.length());
    switch (random.nextInt(5)) {
      case 0 -> request.setCharAt(at, (char) random.nextInt(256));
      case 1 -> request.insert(at, PARTS.get(random.nextInt(PARTS.size())));
      case 2 -> request.delete(at, Math.min(request.length(), at + random.nextInt(20)));
      case 3 -> request.setLength(at);
      default -> request.insert(at, request.substring(at));
    }
  }

  /** Sends it in pieces, and leaves at once or waits until the server has had enough. */
  private static String answer(HttpServing serving, byte[] request, Random random)
      throws IOException {
    try (RawHttp http = serving.connect()) {
      int cut = random.nextInt(request.length + 1);
      http.send(Arrays.copyOfRange(request, 0, cut));
      http.send(Arrays.copyOfRange(request, cut, request.length));
      return random.nextInt(4) == 0 ? "" : http.finish().rest();
    } catch (UncheckedIOException e) {
      return "reset"; // the server has closed, with something unread
    }
  }
}
