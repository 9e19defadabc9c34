package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.time.TimeSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

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

  /** Has a child that has ended, and does not ask for its exit status. */
  private static final class Careless extends ServerProcess {

    Careless() {
      super("careless", "ready", "TERM");
    }

    @Override
    List<String> command() {
      return List.of("sh", "-c", "sleep 0 & echo ready; exec sleep 600");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void childThatHasEndedAndWasNotReapedCountsAsEnded() {
    try (Careless server = new Careless()) {
      server.restart();
      TimeSource time = TimeSource.system();
      long end = time.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (server.family().size() > 1 && time.nanoTime() < end) {
        time.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      assertThat(server.family()).hasSize(1);
    }
  }
}
