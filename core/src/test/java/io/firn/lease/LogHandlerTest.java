package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.ChildJvm;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In a process of its own: the log handlers of this one belong to all tests. Most of it waits. */
@Execution(ExecutionMode.CONCURRENT)
class LogHandlerTest {

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "throws"})
  @Timeout(180)
  void logHandlerThatBlocksOrThrowsStopsNoLease(String handler) throws Exception {
    try (ChildJvm child = ChildJvm.start(LoggingProcess.class, handler)) {
      child.lineThatBegins("logged");
      child.lineThatBegins("renewed");
      assertThat(child.lineThatBegins("closed")).isEqualTo("closed true true");
      assertThat(child.end()).isZero();
    }
  }
}
