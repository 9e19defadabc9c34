package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.server.WatchedTime;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands about a name, which do not ask the state of all namespaces. */
@Timeout(60)
final class KeyCommandsTest {

  private final WatchedTime time = new WatchedTime("io\\.firn\\.server\\.redis\\.KeyCommands\\b");

  private String answer(String command) {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new, time);
        RawClient client = server.connect()) {
      return client.send(command + "\r\nQUIT\r\n").rest();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TYPE default, +string",
    "TYPE other, +none",
    "TTL default, :-1",
    "PTTL other, :-2",
    "EXISTS default other default, :2",
  })
  void lookItUp(String command, String answer) {
    assertThat(answer(command)).isEqualTo(answer + "\r\n+OK\r\n");
    assertThat(time.threads()).isEmpty();
  }
}
