package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.SocketTimeoutException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RedisServerTest {

  private static String ask(RedisServer server, String command) throws Exception {
    return RedisClient.ask(server.address(), command);
  }

  @Test
  void answersAndTakesOptions() throws Exception {
    try (RedisServer server = RedisServer.start("--maxmemory", "10mb")) {
      assertThat(ask(server, "PING")).isEqualTo("+PONG");
      assertThat(ask(server, "INFO memory")).contains("# Memory");
      assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
    }
  }

  @Test
  void keepsWhatItAcknowledgedThroughAKillIfItIsDurable() throws Exception {
    try (RedisServer server = RedisServer.startDurable()) {
      assertThat(ask(server, "SET a 1")).isEqualTo("+OK");
      for (int i = 0; i < 3; i++) {
        server.kill();
        server.restart();
        assertThat(ask(server, "INCR a")).isEqualTo(":" + (i + 2));
      }
    }
  }

  @Test
  void forgetsAllWithAKillIfItIsNot() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      assertThat(ask(server, "SET a 1")).isEqualTo("+OK");
      server.kill();
      server.restart();
      assertThat(ask(server, "GET a")).isEqualTo("$-1");
    }
  }

  @Test
  void replicaHasTheDataOfItsPrimary() throws Exception {
    try (RedisServer primary = RedisServer.start()) {
      assertThat(ask(primary, "SET a 1")).isEqualTo("+OK");
      try (RedisServer replica = RedisServer.startReplicaOf(primary)) {
        assertThat(ask(replica, "GET a")).isEqualTo("1");
        try (RedisClient client = new RedisClient(primary.address())) {
          assertThat(client.ask("SET a 2")).isEqualTo("+OK");
          assertThat(client.ask("WAIT 1 5000")).isEqualTo(":1");
        }
        assertThat(ask(replica, "GET a")).isEqualTo("2");
      }
    }
  }

  @Test
  void pausedServerAnswersWhenItIsResumed() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = new RedisClient(server.address())) {
      server.pause();
      assertThatThrownBy(() -> client.ask("PING", 100)).isInstanceOf(SocketTimeoutException.class);
      server.resume();
      assertThat(client.ask("PING", 5_000)).isEqualTo("+PONG");
    }
  }

  @Test
  void leavesNothingBehind() {
    RedisServer paused = RedisServer.start();
    Traces traces = Traces.of(paused);
    paused.pause();
    paused.close();
    traces.assertGone();
    paused.close();

    RedisServer killed = RedisServer.startDurable();
    traces = Traces.of(killed);
    killed.kill();
    assertThat(traces.directory()).exists();
    killed.close();
    traces.assertGone();
  }

  @Test
  void failureToStartContainsTheOutputOfTheServer() {
    assertThatThrownBy(() -> RedisServer.start("--no-such-option", "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("RedisServer in ")
        .hasMessageContaining(
            " ended with 1 before it wrote: Ready to accept connections; the end of its output:")
        .hasMessageContaining("no-such-option");
  }

  @Test
  void isNotStartedTwice() {
    try (RedisServer server = RedisServer.start()) {
      assertThatThrownBy(server::restart)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageEndingWith(" runs already; kill it first");
    }
  }

  @Test
  void endsWithTheJvmThatStartedIt() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Abandoning.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Path directory = Path.of(jvm.inputReader().readLine());
    Traces traces = new Traces(directory, jvm.descendants().toList());
    assertThat(traces.processes()).hasSize(1);
    assertThat(directory).exists();
    jvm.outputWriter().close();
    assertThat(jvm.waitFor()).isZero();
    traces.assertGone();
  }

  /** Starts a server, says where, and ends with its input without closing it. */
  static final class Abandoning {

    private Abandoning() {}

    public static void main(String[] arguments) throws Exception {
      System.out.println(RedisServer.start().directory().path());
      while (System.in.read() >= 0) {}
    }
  }
}
