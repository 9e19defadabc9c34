package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests without a token that a foreign web page may have a browser send. */
final class OriginTest {

  private static HttpServing serving;

  @BeforeAll
  static void start() {
    serving = HttpServing.start("hosts: [localhost, Firn.Example]");
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost", "LocalHost:7608", "127.0.0.1:1", "[::1]:7608", "firn.example:80"})
  void namesOfThisServerAreAnswered(String host) throws Exception {
    assertThat(status("/v1/ids/default", "Host: " + host)).isEqualTo("HTTP/1.1 200 OK");
  }

  @Test
  void otherNamesAreRefused() throws Exception {
    for (String path : new String[] {"/v1/ids/default", "/v1/workers", "/metrics"}) {
      assertThat(status(path, "Host: attacker.example:7608")).isEqualTo("HTTP/1.1 403 Forbidden");
    }
    assertThat(status("/livez", "Host: attacker.example:7608")).isEqualTo("HTTP/1.1 200 OK");
  }

  @Test
  void requestsOfOtherSitesAreRefusedButForTheConsole() throws Exception {
    String crossSite = "Host: localhost\r\nSec-Fetch-Site: cross-site";
    assertThat(status("/v1/ids/default", crossSite)).isEqualTo("HTTP/1.1 403 Forbidden");
    assertThat(status("/", crossSite)).isEqualTo("HTTP/1.1 200 OK");
    assertThat(status("/v1/ids/default", "Host: localhost\r\nSec-Fetch-Site: same-origin"))
        .isEqualTo("HTTP/1.1 200 OK");
  }

  /** As a proxy leaves it that blanks headers. */
  @Test
  void anEmptySiteDoesNotReplaceTheCheckOfTheOrigin() throws Exception {
    String origin = "Host: localhost\r\nSec-Fetch-Site:\r\nOrigin: http://attacker.example";
    assertThat(status("/v1/ids/default", origin)).isEqualTo("HTTP/1.1 403 Forbidden");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-Fetch-Site: Cross-Site",
        "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: none, cross-site"
      })
  void requestsThatAnyHeaderCallsOfAnotherSiteAreRefused(String headers) throws Exception {
    assertThat(status("/v1/ids/default", "Host: localhost\r\n" + headers))
        .isEqualTo("HTTP/1.1 403 Forbidden");
  }

  /** Browsers that are older than Sec-Fetch-Site, and all of them without TLS, have only this. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://attacker.example",
        "http://attacker.example:7608",
        "http://127.0.0.1:7609",
        "http://127.0.0.2:7608",
        "http://localhost.attacker.example:7608",
        "http://localhost\r\nOrigin: http://attacker.example",
        "null",
        "file://",
        ""
      })
  void foreignOriginsAreRefusedButForTheConsole(String origin) throws Exception {
    String headers = "Host: 127.0.0.1:7608\r\nOrigin: " + origin;
    assertThat(status("/v1/ids/default", headers)).isEqualTo("HTTP/1.1 403 Forbidden");
    assertThat(status("/", headers)).isEqualTo("HTTP/1.1 200 OK");
    assertThat(status("/livez", headers)).isEqualTo("HTTP/1.1 200 OK");
    assertThat(status("/v1/ids/default", headers + "\r\nSec-Fetch-Site: same-origin"))
        .isEqualTo("HTTP/1.1 200 OK");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:7608",
        "https://127.0.0.1:7608",
        "http://localhost:3000",
        "HTTPS://Firn.Example"
      })
  void originsOfThisServerAreAnswered(String origin) throws Exception {
    assertThat(status("/v1/ids/default", "Host: 127.0.0.1:7608\r\nOrigin: " + origin))
        .isEqualTo("HTTP/1.1 200 OK");
  }

  private static String status(String path, String headers) {
    try (RawHttp client = serving.connect()) {
      client.send("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n\r\n");
      return client.head().lines().findFirst().orElseThrow();
    }
  }
}
