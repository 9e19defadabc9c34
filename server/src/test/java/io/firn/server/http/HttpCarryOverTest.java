package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server that is restarted while its store is down. */
@EnabledOnOs(OS.LINUX)
final class HttpCarryOverTest {

  @TempDir Path directory;

  @Test
  void restartedServerGoesOnWithTheRestOfItsWindowOnce() throws Exception {
    try (RedisServer redis = RedisServer.startDurable()) {
      String yaml =
          """
          store: "redis://127.0.0.1:%d?may-forget=false&timeout=60s"
          defaults: {window: 10m, carry-over: "%s"}
          namespaces: {orders: }
          """
              .formatted(redis.port(), directory);
      Path rest = directory.resolve("orders.carry-over");
      Path copy = directory.resolve("copy");
      long last;
      try (HttpServing first = HttpServing.start(yaml)) {
        last = id(first.get("/v1/ids/orders"));
        redis.kill();
      }
      Path unused = Files.copy(rest, copy);
      try (HttpServing second = HttpServing.startClosed(yaml)) {
        assertThat(id(second.get("/v1/ids/orders"))).isGreaterThan(last);
      }
      refuses(yaml, "it does not exist, or another process has taken it");
      unused = Files.copy(copy, rest);
      refuses(yaml, "it is a copy");
      unused = Files.writeString(rest, Files.readString(copy).substring(0, 50));
      refuses(yaml, "it was truncated or changed");

      redis.restart();
      try (HttpServing again = HttpServing.start(yaml)) {
        assertThat(id(again.get("/v1/ids/orders"))).isGreaterThan(last);
      }
    }
  }

  private static long id(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Long.parseLong(answer.body().strip());
  }

  private void refuses(String yaml, String reason) throws Exception {
    try (HttpServing server = HttpServing.startClosed(yaml)) {
      HttpResponse<String> answer = server.get("/v1/ids/orders");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.body()).contains("orders.carry-over was not used: " + reason);
    }
  }
}
