package io.firn.cli;

import io.firn.FirnException;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/**
 * Events of the log on one line each: as text, or as an object. In text, a cause that is no {@link
 * FirnException} has its stack trace below.
 */
final class LogLine extends Formatter {

  private static final Pattern FRAMES =
      Pattern.compile("\\R[ \\t]+(?:at [^\\s(]+\\(|\\.\\.\\. \\d+ more).*");

  private final boolean json;

  LogLine(boolean json) {
    this.json = json;
  }

  /**
   * Installs this format for the whole log of this process until its end, without repeated events.
   */
  void install() {
    Logger all = LogManager.getLogManager().getLogger("");
    for (Handler each : all.getHandlers()) {
      Handler handler = KeptHandler.keep(all, each);
      handler.setFormatter(this);
      handler.setFilter(new RepeatedEvents(this));
    }
  }

  @Override
  public String format(LogRecord event) {
    return (json ? object(event) : text(event)) + "\n";
  }

  private String object(LogRecord event) {
    return Json.object(
        object -> {
          object
              .time("time", event.getInstant())
              .text("level", event.getLevel().getName())
              .text("logger", String.valueOf(event.getLoggerName()))
              .text("message", formatMessage(event));
          addTrace(object, event);
        });
  }

  private static void addTrace(Json object, LogRecord event) throws IOException {
    if (event.getThrown() != null) {
      object.text("trace", trace(event.getThrown()));
    }
  }

  private static String trace(Throwable cause) {
    StringWriter trace = new StringWriter();
    cause.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }

  private String text(LogRecord event) {
    String line =
        IsoTime.utc(event.getInstant())
            + " "
            + event.getLevel().getName()
            + " "
            + event.getLoggerName()
            + " "
            + oneLine(formatMessage(event));
    Throwable cause = event.getThrown();
    if (cause instanceof FirnException) {
      String reason = oneLine(String.valueOf(cause.getMessage()));
      return line.endsWith(reason) ? line : line + "; " + reason;
    }
    return cause == null ? line : line + "\n" + trace(cause).stripTrailing();
  }

  /** Returns a text without line breaks, control characters, and the frames of a stack trace. */
  static String oneLine(String text) {
    return FRAMES.matcher(text).replaceAll("").replaceAll("\\R|[\\p{Cc}\\p{Cf}]", " ");
  }
}
