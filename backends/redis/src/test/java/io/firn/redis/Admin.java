package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.RegisterStore;
import io.firn.testservers.RedisServer;
import io.firn.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import redis.clients.jedis.Jedis;

/** The commands that an operator sends to Redis. */
final class Admin {

  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private Admin() {}

  /** The reply of a command, bulks as text. */
  static Object ask(RedisServer server, String command, String... arguments) {
    return askAs("", server.port(), command, arguments);
  }

  /** The same, with a password. */
  static Object askAs(String password, int port, String command, String... arguments) {
    try (Jedis jedis = new Jedis("127.0.0.1", port)) {
      if (!password.isEmpty()) {
        jedis.auth(password);
      }
      return text(jedis.sendCommand(() -> command.getBytes(StandardCharsets.UTF_8), arguments));
    }
  }

  private static Object text(Object reply) {
    if (reply instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    return reply instanceof List<?> list ? list.stream().map(Admin::text).toList() : reply;
  }

  /** The value of a line of {@code INFO}. */
  static String info(RedisServer server, String name) {
    return Arrays.stream(ask(server, "INFO", "ALL").toString().split("\r\n", -1))
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  /** Loads the classes of a first call, which takes longer than a short timeout. */
  static void loadLettuce() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store =
            RegisterStore.open("redis://127.0.0.1:" + server.port() + "?timeout=60s")) {
      store.read("a");
    }
  }

  static void await(String what, BooleanSupplier condition) {
    TimeSource time = TimeSource.system();
    long end = time.nanoTime() + MAX_WAIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(time.nanoTime()).as(what).isLessThan(end);
      time.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }
}
