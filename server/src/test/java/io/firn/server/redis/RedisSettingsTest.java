package io.firn.server.redis;

import static io.firn.server.redis.OneRedisServer.integer;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers whose settings change what a client gets. */
final class RedisSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "node-redis, auto, true",
    "node-redis(app_v1), auto, true",
    "ioredis, auto, true",
    "node-redis, integers, false",
    "jedis, auto, false",
    "my-ioredis, auto, false",
    "jedis, strings, true"
  })
  void givesIdsAsStringsToClientsThatRoundIntegers(String library, String ids, boolean strings) {
    try (RunningServer fresh =
            RunningServer.start("redis", RedisProtocol::new, "redis-ids: " + ids);
        RawClient other = fresh.connect()) {
      other.send("CLIENT SETINFO LIB-NAME " + library + "\r\n").expect("+OK\r\n");
      other.send("INCR a\r\nINCR a\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\nNEXT a COUNT 2\r\n");
      for (int i = 0; i < 5; i++) {
        if (i == 3) {
          assertThat(other.line()).isEqualTo("*2");
        }
        if (strings) {
          assertThat(other.line()).isEqualTo("$18");
        }
        assertThat(other.line()).matches(strings ? "[0-9]{18}" : ":[0-9]{18}");
      }
      other.send("CLIENT ID\r\n");
      assertThat(other.line()).startsWith(":");
    }
  }

  /** As in Redis, the name of the library stays: the client does not send it again. */
  @Test
  void givesIdsAsStringsToAClientThatRoundsIntegersAlsoAfterAReset() {
    try (RunningServer fresh = RunningServer.start("redis", RedisProtocol::new);
        RawClient other = fresh.connect()) {
      other.send("CLIENT SETINFO LIB-NAME ioredis\r\nRESET\r\nINCR a\r\n");
      other.expect("+OK\r\n+RESET\r\n$18\r\n");
    }
  }

  @Test
  void countsWhereSegmentsAreConfigured() {
    try (RunningServer counting =
            RunningServer.start(
                "redis", RedisProtocol::new, "namespaces: {numbers: {type: segment, step: 10}}");
        RawClient other = counting.connect()) {
      String incr = "*2\r\n$4\r\nINCR\r\n$7\r\nnumbers\r\n";
      other.send("INCR numbers\r\n" + incr.repeat(100) + "PING\r\n");
      for (int i = 1; i <= 101; i++) {
        other.expect(":" + i + "\r\n");
      }
      other.expect("+PONG\r\n");
    }
  }

  @Test
  void answersAPipelineOfALayoutWithLongTicksInItsOrder() {
    try (RunningServer slow =
            RunningServer.start("redis", RedisProtocol::new, "defaults: {layout: game}");
        RawClient other = slow.connect()) {
      other.send("*2\r\n$4\r\nINCR\r\n$1\r\na\r\n".repeat(500) + "ECHO end\r\n");
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        ids.add(integer(other));
      }
      other.expect("$3\r\nend\r\n");
      assertThat(ids).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void opensOnlyWhatIsConfiguredWhereThatIsWanted() {
    try (RunningServer strict =
            RunningServer.start(
                "redis", RedisProtocol::new, "on-demand: off", "namespaces: {orders: , b: }");
        RawClient other = strict.connect()) {
      integer(other.send("INCR orders\r\n"));
      other
          .send("INCR others\r\n")
          .expect("-ERR namespace: others (expected: one of b, orders)\r\n");
    }
  }

  @Test
  void saysWhyANamespaceCannotBeOpenedAndTriesAgain(@TempDir Path directory) throws Exception {
    try (RunningServer other =
            RunningServer.start("redis", RedisProtocol::new, "store: 'file:" + directory + "'");
        RawClient asking = other.connect()) {
      Path register = directory.resolve("late+layout.register");
      Files.writeString(register, "1\nrubbish");
      asking.send("INCR late\r\n");
      assertThat(asking.line()).startsWith("-TRYAGAIN ");
      Files.delete(register);
      String line = "";
      while (!line.startsWith(":")) {
        line = asking.send("INCR late\r\n").line();
      }
    }
  }
}
