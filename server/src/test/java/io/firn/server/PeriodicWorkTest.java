package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of work that is repeated although it fails. */
final class PeriodicWorkTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
  private final PeriodicWork work = new PeriodicWork(time);
  private final List<LogRecord> events = new ArrayList<>();
  private final Logger logger = Logger.getLogger("io.firn.server");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord event) {
          events.add(event);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
  }

  private static void fail() {
    throw new StackOverflowError("planned");
  }

  @Test
  void logsAFailureOnceAMinute() {
    work.run(PeriodicWorkTest::fail);
    time.advance(Duration.ofSeconds(59));
    work.run(PeriodicWorkTest::fail);
    assertThat(events).hasSize(1);
    assertThat(events.get(0).getMessage())
        .isEqualTo("Periodic work of the server failed; the rest of it goes on");
    assertThat(events.get(0).getThrown()).hasMessage("planned");
    time.advance(Duration.ofSeconds(1));
    work.run(PeriodicWorkTest::fail);
    assertThat(events).hasSize(2);
  }

  @Test
  void runsWhatDoesNotFail() {
    AtomicInteger runs = new AtomicInteger();
    work.run(runs::incrementAndGet);
    assertThat(runs).hasValue(1);
    assertThat(events).isEmpty();
  }
}
