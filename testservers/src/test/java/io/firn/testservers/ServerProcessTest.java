package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ServerProcessTest {

  /** Starts a child every millisecond or so, as a database does while clients connect. */
  private static final class Forking extends ServerProcess {

    private final String child = "600." + port();

    Forking() {
      super("forking", "ready", "TERM");
    }

    @Override
    List<String> command() {
      String forever = "echo ready; while :; do sleep " + child + " & sleep 0.001; done";
      return List.of("sh", "-c", forever);
    }

    long children() {
      return ProcessHandle.allProcesses()
          .filter(process -> process.info().commandLine().orElse("").endsWith("sleep " + child))
          .count();
    }
  }

  @Test
  void killReachesChildrenThatAreStartedMeanwhile() {
    Forking server = new Forking();
    try (server) {
      server.restart();
      assertThat(server.children()).isPositive();
      server.kill();
      assertThat(server.children()).isZero();
      server.restart();
    }
    assertThat(server.children()).isZero();
  }
}
