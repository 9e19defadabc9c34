package io.firn;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The messages of a logger from now on, until this is closed; nothing else shows them. */
public final class LogLines extends Handler implements AutoCloseable {

  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final Logger logger;

  public LogLines(String loggerName) {
    logger = Logger.getLogger(loggerName);
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  public List<String> messages() {
    return messages;
  }

  @Override
  public void publish(LogRecord message) {
    messages.add(message.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.setUseParentHandlers(true);
    logger.removeHandler(this);
  }
}
