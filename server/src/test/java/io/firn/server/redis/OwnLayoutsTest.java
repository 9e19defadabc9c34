package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server tells the IDs of its own namespaces from one another. */
final class OwnLayoutsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "classic",
        "twitter",
        "sonyflake",
        "sonyflake_v2",
        "discord",
        "game",
        "41t+11w+11s@2025-01-01T00:00:00Z/1ms"
      })
  void decodesAnIdInTheLayoutOfTheNamespaceThatIssuedIt(String layout) {
    try (RunningServer server =
            RunningServer.start(
                "redis",
                RedisProtocol::new,
                "namespaces:",
                "  invoices: {layout: cosid}",
                "  posts: {layout: pgedge}",
                "  parts: {layout: hazelcast}",
                "  orders: {layout: '" + layout + "'}");
        RawClient client = server.connect()) {
      String id = client.send("INCR orders\r\n").line().substring(1);
      client.send("HELLO 3\r\nDECODE " + id + "\r\n");
      StringBuilder lines = new StringBuilder();
      String line = "";
      while (!line.equals("namespaces")) {
        line = client.line();
        lines.append(line).append(' ');
      }
      assertThat(lines).contains(" " + layout + " ");
      assertThat(client.line()).isEqualTo("*1");
      client.line();
      assertThat(client.line()).isEqualTo("orders");
    }
  }
}
