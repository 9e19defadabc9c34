package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.StoreException;
import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** Tests of the format of log events. */
final class LogLineTest {

  private static LogRecord event(String message, Throwable cause) {
    LogRecord event = new LogRecord(Level.WARNING, message);
    event.setLoggerName("io.firn.lease");
    event.setInstant(Instant.parse("2026-11-21T12:00:00.123456Z"));
    event.setThrown(cause);
    return event;
  }

  @Test
  void anEventIsALine() {
    assertThat(new LogLine(false).format(event("not renewed:\nworker 3", null)))
        .isEqualTo("2026-11-21T12:00:00.123Z WARNING io.firn.lease not renewed: worker 3\n");
  }

  @Test
  void aKnownCauseIsOnTheLine() {
    assertThat(new LogLine(false).format(event("not renewed", new StoreException("store: away"))))
        .isEqualTo("2026-11-21T12:00:00.123Z WARNING io.firn.lease not renewed; store: away\n");
  }

  @Test
  void aKnownCauseThatTheMessageEndsWithIsThereOnce() {
    StoreException away = new StoreException("store: away");
    assertThat(new LogLine(false).format(event("not renewed; store: away", away)))
        .isEqualTo("2026-11-21T12:00:00.123Z WARNING io.firn.lease not renewed; store: away\n");
  }

  /** What a remote system sent may be part of a message. */
  @Test
  void controlCharactersAreNoPartOfALine() {
    assertThat(new LogLine(false).format(event("a\rb\u001b[2Jc\u0085d\u202ee", null)))
        .isEqualTo("2026-11-21T12:00:00.123Z WARNING io.firn.lease a b [2Jc d e\n");
  }

  @Test
  void anUnknownCauseHasItsTraceBelow() {
    assertThat(new LogLine(false).format(event("oh", new IllegalStateException("bug"))))
        .startsWith(
            "2026-11-21T12:00:00.123Z WARNING io.firn.lease oh\n"
                .concat("java.lang.IllegalStateException: bug\n\tat io.firn.cli.LogLineTest."))
        .endsWith(")\n");
  }

  @Test
  void anEventIsAnObject() {
    assertThat(new LogLine(true).format(event("two\nlines \"quoted\"", null)))
        .isEqualTo(
            "{\"time\":\"2026-11-21T12:00:00.123Z\",\"level\":\"WARNING\","
                .concat(
                    "\"logger\":\"io.firn.lease\",\"message\":\"two\\nlines \\\"quoted\\\"\"}\n"));
    assertThat(new LogLine(true).format(event("oh", new StoreException("store: away"))))
        .contains(
            "\"message\":\"oh\",\"trace\":\"io.firn.store.StoreException: store: away\\n\\tat ")
        .endsWith("\"}\n");
  }
}
