package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** Tests of the warnings that are written or suppressed. */
final class RepeatedEventsTest {

  private static final Instant BEGIN = Instant.parse("2026-11-21T12:00:00Z");

  private final LogLine line = new LogLine(false);
  private final RepeatedEvents filter = new RepeatedEvents(line);

  private static LogRecord event(int seconds, String message) {
    LogRecord event = new LogRecord(Level.WARNING, message);
    event.setLoggerName("io.firn.server");
    event.setInstant(BEGIN.plusSeconds(seconds));
    return event;
  }

  @Test
  void writesAWarningOnceAndThenEachMinuteWithACount() {
    assertThat(filter.isLoggable(event(0, "no answer within 100 ms"))).isTrue();
    for (int second = 1; second < 60; second++) {
      assertThat(filter.isLoggable(event(second, "no answer within 10" + second + " ms")))
          .isFalse();
    }
    LogRecord next = event(60, "no answer within 99 ms");
    assertThat(filter.isLoggable(next)).isTrue();
    assertThat(line.format(next))
        .endsWith("no answer within 99 ms (and 59 times since 2026-11-21T12:00:00Z)\n");
    LogRecord much = event(600, "no answer within 99 ms");
    assertThat(filter.isLoggable(much)).isTrue();
    assertThat(line.format(much)).endsWith("no answer within 99 ms\n");
  }

  @Test
  void writesWarningsThatDiffer() {
    assertThat(filter.isLoggable(event(0, "orders: away"))).isTrue();
    assertThat(filter.isLoggable(event(0, "users: away"))).isTrue();
    LogRecord error = event(0, "orders: away");
    error.setLevel(Level.SEVERE);
    assertThat(filter.isLoggable(error)).isTrue();
  }

  /** Each of them is logged once in an outage: a warning left out would be lost. */
  @Test
  void writesTheWarningsOfEachLeaseAndCounter() {
    for (String logger : List.of("io.firn.lease", "io.firn.segment")) {
      for (int i = 0; i < 500; i++) {
        LogRecord failure =
            event(0, "not renewed: worker 3 of tenant:" + i + "; no answer in 9 ms");
        failure.setLoggerName(logger);
        assertThat(filter.isLoggable(failure)).isTrue();
      }
    }
  }

  @Test
  void writesAWarningOfOneLeaseOnceAMinute() {
    String begin = "not renewed: worker 3 of tenant:7 until 2026-11-21T12:00:0";
    for (int i = 0; i < 9; i++) {
      LogRecord failure =
          event(i, begin + i + ".125Z in redis://h:6379; no answer in " + i + " ms");
      failure.setLoggerName("io.firn.lease");
      assertThat(filter.isLoggable(failure)).isEqualTo(i == 0);
    }
  }

  @Test
  void writesEachErrorOfALease() {
    for (int i = 0; i < 2; i++) {
      LogRecord error = event(i, "IDs of worker 3 may be issued again by another process");
      error.setLevel(Level.SEVERE);
      error.setLoggerName("io.firn.lease");
      assertThat(filter.isLoggable(error)).isTrue();
    }
  }

  @Test
  void writesEachEventThatIsNoWarningAndEachOfTheAuditLog() {
    for (int i = 0; i < 2; i++) {
      LogRecord info = event(i, "started");
      info.setLevel(Level.INFO);
      assertThat(filter.isLoggable(info)).isTrue();
      LogRecord audit = event(i, "wrong token");
      audit.setLoggerName("io.firn.audit");
      assertThat(filter.isLoggable(audit)).isTrue();
    }
  }

  @Test
  void forgetsTheLeastRecentOfManyWarnings() {
    for (char first = 'a'; first <= 'z'; first++) {
      for (char second = 'a'; second <= 'z'; second++) {
        assertThat(filter.isLoggable(event(0, "first of " + first + second))).isTrue();
        assertThat(filter.isLoggable(event(0, "second of " + first + second))).isTrue();
      }
    }
    assertThat(filter.isLoggable(event(1, "second of zz"))).isFalse();
    assertThat(filter.isLoggable(event(1, "first of aa"))).isTrue();
  }
}
