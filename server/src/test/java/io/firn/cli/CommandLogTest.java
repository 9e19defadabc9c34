package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.StoreException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** Tests of the log of commands; {@link StoresProcessTest} sees a line of it. */
final class CommandLogTest {

  private static LogRecord event(Level level, String logger, String message) {
    LogRecord event = new LogRecord(level, message);
    event.setLoggerName(logger);
    return event;
  }

  @Test
  void aWarningIsALineWithItsReason() {
    LogRecord event = event(Level.WARNING, "io.firn.lease", "not renewed:\nworker 3");
    assertThat(new CommandLog.Line().format(event))
        .isEqualTo("firn: warning: not renewed: worker 3\n");
    event.setThrown(new IllegalStateException(new StoreException("store: away\nnow")));
    assertThat(new CommandLog.Line().format(event))
        .isEqualTo("firn: warning: not renewed: worker 3; store: away now\n");
  }

  /** As gRPC puts it into its messages. */
  @Test
  void framesOfATraceAreNoPartOfALine() {
    String message =
        """
        Failed to resolve name. cause=java.net.UnknownHostException: host
        \tat java.base/java.net.InetAddress.getAllByName(InetAddress.java:1385)
        \tat io.grpc.internal.DnsNameResolver.doResolve(DnsNameResolver.java:267)
        \t... 3 more
        }""";
    String line = "Failed to resolve name. cause=java.net.UnknownHostException: host }\n";
    LogRecord event = event(Level.WARNING, "io.grpc", message);
    assertThat(new CommandLog.Line().format(event)).isEqualTo("firn: warning: " + line);
    assertThat(new LogLine(false).format(event)).endsWith(" WARNING io.grpc " + line);
  }

  @Test
  void aLineThatBeginsWithAtIsPartOfTheMessage() {
    assertThat(new CommandLog.Line().format(event(Level.WARNING, "x", "the row was\n  at fault")))
        .isEqualTo("firn: warning: the row was at fault\n");
  }

  @Test
  void controlCharactersAreNoPartOfALine() {
    assertThat(new CommandLog.Line().format(event(Level.WARNING, "io.grpc", "a\u001b[2Jb")))
        .isEqualTo("firn: warning: a [2Jb\n");
  }

  @Test
  void onlyWarningsThatNoErrorRepeatsAreShown() {
    CommandLog.Warnings warnings = new CommandLog.Warnings();
    assertThat(warnings.isLoggable(event(Level.WARNING, "io.firn.lease", ""))).isTrue();
    assertThat(warnings.isLoggable(event(Level.INFO, "io.firn.lease", ""))).isFalse();
    assertThat(warnings.isLoggable(event(Level.WARNING, "io.firn.segment", ""))).isFalse();
  }
}
