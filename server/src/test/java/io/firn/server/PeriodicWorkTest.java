package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.LogLines;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of work that is repeated although it fails. */
final class PeriodicWorkTest {

  private final LogLines log = new LogLines("io.firn.server");

  @AfterEach
  void stopListening() {
    log.close();
  }

  private static void fail() {
    throw new StackOverflowError("planned");
  }

  @Test
  void logsAFailure() {
    PeriodicWork.run(PeriodicWorkTest::fail);
    assertThat(log.events()).hasSize(1);
    assertThat(log.events().get(0).getMessage())
        .isEqualTo("Periodic work of the server failed; the rest of it goes on");
    assertThat(log.events().get(0).getThrown()).hasMessage("planned");
  }

  @Test
  void runsWhatDoesNotFail() {
    AtomicInteger runs = new AtomicInteger();
    PeriodicWork.run(runs::incrementAndGet);
    assertThat(runs).hasValue(1);
    assertThat(log.events()).isEmpty();
  }
}
