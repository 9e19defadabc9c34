package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scopes, limits and permissions of tokens. */
@Timeout(60)
final class TokenRightsTest {

  @TempDir static Path directory;
  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    for (String name : List.of("issuer", "reader", "opener", "single", "free")) {
      Files.writeString(directory.resolve(name), secret(name));
    }
    serving =
        HttpServing.start(
            """
            on-demand: off
            limits: {rate: 1000}
            tokens:
              issuer: {file: %1$s/issuer, scopes: [issue], rate: 5}
              reader: {file: %1$s/reader, scopes: [read]}
              opener: {file: %1$s/opener, on-demand: on}
              single: {file: %1$s/single, connections: 1}
              free: {file: %1$s/free, rate: off}
            """
                .formatted(directory));
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  private static String secret(String name) {
    return "the-secret-of-" + name;
  }

  private static HttpResponse<String> get(String path, String name) throws Exception {
    return serving.get(path, "Authorization", "Bearer " + secret(name));
  }

  @Test
  void aTokenIsForItsScopesOnly() throws Exception {
    assertThat(get("/v1/ids/default", "issuer").statusCode()).isEqualTo(200);
    assertThat(get("/v1/ids/default", "reader").statusCode()).isEqualTo(403);
    for (String path :
        List.of("/metrics", "/v1/namespaces", "/v1/workers", "/v1/segments", "/v1/server")) {
      assertThat(get(path, "reader").statusCode()).as(path).isEqualTo(200);
      assertThat(get(path, "issuer").body())
          .contains("token: issuer (expected: a token with the scope read among its scopes)");
    }
    assertThat(get("/v1/decode/4194304", "issuer").statusCode()).isEqualTo(200);
    assertThat(get("/v1/decode/4194304", "issuer").body()).doesNotContain("namespaces");
    assertThat(get("/v1/decode/4194304", "reader").body()).contains("\"namespaces\":[\"default\"");
  }

  @Test
  void aTokenHasItsOwnRate() throws Exception {
    assertThat(get("/v1/ids/default?count=6", "issuer").body())
        .contains("count: 6 (expected: 1..5, the IDs a second of token issuer)");
    assertThat(get("/v1/ids/default?count=1001", "opener").statusCode()).isEqualTo(400);
    assertThat(get("/v1/ids/default?count=1001", "free").statusCode()).isEqualTo(200);
  }

  @Test
  void aTokenMayOpenNamespacesThatOthersMayNot() throws Exception {
    assertThat(get("/v1/ids/on-demand", "free").statusCode()).isEqualTo(404);
    assertThat(get("/v1/ids/on-demand", "opener").statusCode()).isEqualTo(200);
    assertThat(get("/v1/ids/on-demand", "free").statusCode()).isEqualTo(200);
  }

  @Test
  void connectionsOfATokenAreLimited() throws Exception {
    String request =
        "GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + secret("single")
            + "\r\n\r\n";
    try (RawHttp first = connectOnceLetIn(request);
        RawHttp second = serving.connect()) {
      assertThat(second.send(request).answer())
          .contains(" 429 ")
          .contains("connections: one more (expected: at most 1 with token single)");
      assertThat(first.send(request).answer()).contains(" 200 ");
    }
    connectOnceLetIn(request).close();
  }

  /** Returns a connection that has its answer: the server has seen that all others are closed. */
  private static RawHttp connectOnceLetIn(String request) throws Exception {
    while (true) {
      RawHttp last = serving.connect();
      if (last.send(request).answer().contains(" 200 ")) {
        return last;
      }
      last.close();
    }
  }
}
