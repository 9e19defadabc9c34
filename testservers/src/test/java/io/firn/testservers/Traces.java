package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

/** The traces that a running server could leave behind. */
record Traces(Path directory, List<ProcessHandle> processes) {

  static Traces of(ServerProcess server) {
    Traces traces = new Traces(server.directory().path(), server.family());
    assertThat(traces.directory).exists();
    assertThat(traces.processes).isNotEmpty();
    return traces;
  }

  void assertGone() {
    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(directory).doesNotExist();
  }
}
