package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that no client should send are all answered, and so are those behind them. */
@Timeout(120)
final class RedisFuzzTest {

  private static final int TRIALS = 1_000;
  private static final long SEED = Long.getLong("firn.seed", 20261121);
  private static final String QUIT = "*1\r\n$4\r\nQUIT\r\n";

  private static final List<String> NAMES =
      List.of(
          "INCR",
          "NEXT",
          "INCRBY",
          "INCRBYFLOAT",
          "DECR",
          "DECRBY",
          "PING",
          "ECHO",
          "SELECT",
          "CLIENT",
          "AUTH",
          "HELLO",
          "DECODE",
          "INFO",
          "COMMAND",
          "NONSENSE",
          "",
          "\r\n",
          "*1");

  private static final List<String> WORDS =
      List.of(
          "",
          "0",
          "1",
          "2",
          "3",
          "-1",
          "11",
          "99999999999999999999",
          "9223372036854775807",
          "COUNT",
          "LAYOUT",
          "twitter",
          "nowhere",
          "AUTH",
          "default",
          "SETNAME",
          "ID",
          "GETNAME",
          "SETINFO",
          "LIB-NAME",
          "lib-ver",
          "DOCS",
          "LIST",
          "INFO",
          "a b",
          "\r\n",
          "\0",
          "é",
          "orders",
          "x".repeat(64),
          "x".repeat(65),
          "x".repeat(200),
          "..",
          "/",
          "SCOPE",
          "incr");

  @Test
  void everyCommandIsAnswered() {
    Random random = new Random(SEED);
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, "limits: {count: 10, namespaces: 5}")) {
      for (int trial = 0; trial < TRIALS; trial++) {
        StringBuilder commands = new StringBuilder();
        for (int left = random.nextInt(8); left >= 0; left--) {
          commands.append(command(random));
        }
        try (RawClient client = server.connect()) {
          assertThat(client.send(commands + QUIT).rest())
              .as("seed %d, trial %d: %s", SEED, trial, commands)
              .endsWith("+OK\r\n")
              .doesNotContain("unexpected error");
        }
      }
    }
  }

  private static String command(Random random) {
    int words = 1 + random.nextInt(6);
    StringBuilder command = new StringBuilder("*" + words + "\r\n");
    for (int i = 0; i < words; i++) {
      List<String> choice = i == 0 ? NAMES : WORDS;
      String word = choice.get(random.nextInt(choice.size()));
      command.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return command.toString();
  }
}
