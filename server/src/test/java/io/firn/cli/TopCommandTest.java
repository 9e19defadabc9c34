package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RunningServer;
import io.firn.server.http.HttpProtocol;
import io.firn.testkit.FreePort;
import java.io.FilterOutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code firn top} of a real store and of a real server. */
final class TopCommandTest {

  private final Session session = new Session();

  @Test
  void showsTheNamespacesAndWorkersOfAStore(@TempDir Path directory) {
    String address = "file:" + directory;
    assertThat(new Session().run("next", "--store", address, "--namespace", "orders")).isZero();
    assertThat(session.run("top", "--store", address)).isZero();
    assertThat(session.out())
        .startsWith(address)
        .containsPattern("(?m)^orders +classic +0 +0 +1 +0 +0 +-$")
        .containsPattern("(?m)^orders +[0-9]+ +released ")
        .doesNotContain("\u001b");
  }

  @Test
  void showsItAgainOnATerminal(@TempDir Path directory) {
    assertThat(session.terminal().run("top", "-n", "3", "--store", "file:" + directory)).isZero();
    assertThat(session.out().split("\u001b\\[H\u001b\\[2J", -1)).hasSize(4);
  }

  @Test
  void fitsItsTablesIntoTheTerminal(@TempDir Path directory) {
    String address = "file:" + directory;
    for (String name : List.of("a".repeat(64), "b", "c", "d")) {
      assertThat(new Session().run("next", "--store", address, "--namespace", name)).isZero();
    }
    session.terminal().environment(Map.of("COLUMNS", "90", "LINES", "8"));
    assertThat(session.run("top", "-n", "1", "--store", address)).isZero();
    List<String> lines = session.out().lines().toList();
    assertThat(lines).hasSize(7).last().isEqualTo("… and 7 more lines");
    assertThat(lines.subList(1, 7)).allMatch(line -> line.length() <= 90);
    assertThat(lines.get(3)).matches("a{11,}… +classic +0 +0 +1 +0 +0 +-");
  }

  @Test
  void keepsShowingAServerThatStopped() {
    try (RunningServer server =
        RunningServer.start("http", HttpProtocol::new, "namespaces: {orders: }")) {
      Runnable stop = server::close;
      session.out(
          new FilterOutputStream(session.captured) {
            @Override
            public void flush() {
              stop.run();
            }
          });
      String url = "http://127.0.0.1:" + server.address().getPort();
      assertThat(session.terminal().run("top", "-n", "2", "--server", url)).isZero();
      String[] screens = session.out().split("\u001b\\[H\u001b\\[2J", -1);
      assertThat(screens[1]).startsWith(url + "  ready\n");
      assertThat(screens[2])
          .startsWith("Server " + url + " did not answer: ")
          .contains("\nNot refreshed since 2026-11-21T12:00:00Z.\n\n" + screens[1]);
    }
  }

  @Test
  void showsTheNamespacesOfAServer() {
    try (RunningServer server =
        RunningServer.start(
            "http", HttpProtocol::new, "namespaces: {orders: , bills: {type: segment}}")) {
      String url = "http://127.0.0.1:" + server.address().getPort();
      assertThat(session.run("top", "--server", url)).isZero();
      assertThat(session.out())
          .startsWith(url + "  ready\n")
          .containsPattern("(?m)^bills +active +counts +-")
          .containsPattern("(?m)^orders +active +classic +[0-9]+ +0 +- +0 ms +[0-9]+ ms$");
      Session other = new Session();
      assertThat(other.run("top", "--server", url, "--store", "memory:")).isEqualTo(2);
    }
  }

  @Test
  void refusesAnAddressThatIsNoServer() {
    assertThat(session.run("top", "--server", "redis://127.0.0.1")).isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: server: redis://127.0.0.1 (expected: http://HOST:PORT or https://HOST:PORT)\n");
  }

  @Test
  void namesAServerThatDoesNotAnswer() {
    String url = "http://127.0.0.1:" + FreePort.next();
    assertThat(session.run("top", "--server", url)).isEqualTo(1);
    assertThat(session.err())
        .startsWith("firn: Server " + url + " did not answer: ")
        .doesNotContain("stream")
        .hasLineCount(1);
  }

  @Test
  void refusesAnAddressWithoutItsScheme() {
    assertThat(session.run("top", "--server", "127.0.0.1:7608")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: server: 127.0.0.1:7608 (expected: http://HOST:PORT)\n");
  }
}
