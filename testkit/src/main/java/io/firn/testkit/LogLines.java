package io.firn.testkit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The events of a logger from its creation until this is closed. Nothing else shows them meanwhile.
 * Thread-safe.
 */
public final class LogLines extends Handler implements AutoCloseable {

  private final List<LogRecord> events = new CopyOnWriteArrayList<>();
  private final Logger logger;

  /** Listens to the logger of that name. */
  public LogLines(String loggerName) {
    logger = Logger.getLogger(loggerName);
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  /** Returns the events so far. */
  public List<LogRecord> events() {
    return List.copyOf(events);
  }

  /** Returns the messages of the events so far. */
  public List<String> messages() {
    return events.stream().map(LogRecord::getMessage).toList();
  }

  @Override
  public void publish(LogRecord event) {
    events.add(event);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.setUseParentHandlers(true);
    logger.removeHandler(this);
  }
}
