package io.firn.cli;

import io.firn.store.StoreCall;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;

/**
 * The log of a command: warnings, each on one line of the form of its errors. The log manager makes
 * an instance when the first event is logged, so that a command without events does not load it.
 */
public final class CommandLog {

  private static final String CONFIG_CLASS = "java.util.logging.config.class";
  private static final String CONFIG_FILE = "java.util.logging.config.file";

  /**
   * Configures the log of this process.
   *
   * @throws IOException never
   */
  public CommandLog() throws IOException {
    String console = "java.util.logging.ConsoleHandler";
    String settings =
        String.join(
            "\n",
            "handlers=" + console,
            console + ".level=ALL",
            console + ".formatter=" + Line.class.getName(),
            console + ".filter=" + Warnings.class.getName());
    LogManager.getLogManager()
        .readConfiguration(new ByteArrayInputStream(settings.getBytes(StandardCharsets.UTF_8)));
  }

  /** Chooses this log, unless the user has chosen another. */
  static void choose(Properties properties) {
    if (!properties.containsKey(CONFIG_FILE)) {
      properties.putIfAbsent(CONFIG_CLASS, CommandLog.class.getName());
    }
  }

  /** An event on one line. */
  public static final class Line extends Formatter {

    @Override
    public String format(LogRecord event) {
      Throwable cause = event.getThrown();
      String text = formatMessage(event) + (cause == null ? "" : "; " + StoreCall.reason(cause));
      return "firn: warning: " + LogLine.oneLine(text).strip().replaceAll("\\s+", " ") + "\n";
    }
  }

  /** Warnings, without those whose failure the command itself reports. */
  public static final class Warnings implements Filter {

    @Override
    public boolean isLoggable(LogRecord event) {
      return event.getLevel().intValue() >= Level.WARNING.intValue()
          && !"io.firn.segment".equals(event.getLoggerName());
    }
  }
}
