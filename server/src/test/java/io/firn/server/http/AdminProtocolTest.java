package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.Server;
import io.firn.server.config.Sources;
import io.firn.time.TimeSource;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server whose operators have a port of their own. */
@Timeout(120)
final class AdminProtocolTest {

  private final Server server =
      Server.start(
          Sources.of(
                  Map.of(
                      "--listen-http", "127.0.0.1:0",
                      "--listen-admin", "127.0.0.1:0",
                      "--listen-redis", "off",
                      "--listen-thrift", "off",
                      "--drain", "0ms",
                      "--limits-connections", "1",
                      "--limits-request-time", "10m"),
                  Map.of(),
                  "memory:")
              .read(),
          TimeSource.system(),
          service -> List.of(new HttpProtocol(service), HttpProtocol.admin(service)));

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/ids/default, 200, 404",
    "/v1/layouts, 200, 200",
    "/livez, 404, 200",
    "/readyz, 404, 200",
    "/metrics, 404, 200",
    "/v1/workers, 404, 200",
    "/v1/namespaces, 404, 200",
    "/v1/server, 404, 200",
    "/, 404, 200",
  })
  void servesOperatorsElsewhere(String path, int http, int admin) {
    server.openNamespaces().join();
    assertThat(status("http", path)).isEqualTo(http);
    assertThat(status("admin", path)).isEqualTo(admin);
  }

  @Test
  void answersOperatorsWhenAllConnectionsAreTaken() {
    try (RawClient only = new RawClient(address("http"))) {
      assertThat(only.send("GET /v1/layouts HTTP/1.1\r\nHost: localhost\r\n\r\n").line())
          .startsWith("HTTP/1.1 200 ");
      assertThat(status("http", "/v1/layouts")).isEqualTo(503);
      assertThat(status("admin", "/livez")).isEqualTo(200);
    }
  }

  @Test
  void saysWhichLimitOperatorsHaveReached() {
    List<RawClient> busy = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        RawClient client = new RawClient(address("admin"));
        busy.add(client);
        assertThat(client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").line())
            .startsWith("HTTP/1.1 200 ");
      }
      try (RawClient refused = new RawClient(address("admin"))) {
        assertThat(refused.rest())
            .startsWith("HTTP/1.1 503 ")
            .contains("\r\nRetry-After: 1\r\n")
            .contains("Too many connections: this server has 100, the limit of listen.admin");
      }
    } finally {
      busy.forEach(RawClient::close);
    }
  }

  private InetSocketAddress address(String protocol) {
    return Objects.requireNonNull(server.addresses().get(protocol));
  }

  private int status(String protocol, String path) {
    try (RawClient client = new RawClient(address(protocol))) {
      String line = client.send("GET " + path + " HTTP/1.0\r\n\r\n").line();
      return Integer.parseInt(line.split(" ", -1)[1]);
    }
  }
}
