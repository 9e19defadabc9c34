package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.FirnServer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The largest answers of a server with the memory of the systemd unit. */
final class LargeAnswerProcessTest {

  private static final Pattern MOST =
      Pattern.compile("count: 1000000 \\(expected: 1\\.\\.(\\d+)\\)");

  @Test
  void countThatTheHeapCannotAnswerIsRefused() throws Exception {
    List<String> arguments = List.of("--store=memory:", "--limits-count=1000000");
    try (FirnServer server =
        FirnServer.start(UnderAttackProcessTest.jvmOptionsOfUnit(), arguments)) {
      Matcher refusal = MOST.matcher(ask(server, "count=1000000"));
      assertThat(refusal.find()).isTrue();
      int most = Integer.parseInt(refusal.group(1));
      assertThat(most).isGreaterThan(100_000);
      String answer = ask(server, "count=" + most);
      assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4).lines()).hasSize(most);
    }
  }

  private static String ask(FirnServer server, String query) {
    try (RawClient client = new RawClient(server.httpAddress())) {
      String request = "GET /v1/ids/default?" + query + " HTTP/1.1\r\nHost: localhost\r\n";
      return client.send(request + "Connection: close\r\n\r\n").rest();
    }
  }
}
