package io.firn.cli;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A handler that stays at its logger. At the end of the process the log manager removes and closes
 * all handlers, in a shutdown hook that runs at the same time as that of the server. What the
 * server logs while it stops is written by this one. Thread-safe.
 */
final class KeptHandler extends Handler {

  private final Logger logger;
  private final Handler written;

  private KeptHandler(Logger logger, Handler written) {
    this.logger = logger;
    this.written = written;
  }

  /** Keeps a handler at its logger from now on, and returns it, also if it is kept already. */
  static Handler keep(Logger logger, Handler handler) {
    if (handler instanceof KeptHandler kept) {
      return kept.written;
    }
    logger.removeHandler(handler);
    logger.addHandler(new KeptHandler(logger, handler));
    return handler;
  }

  @Override
  public void publish(LogRecord event) {
    written.publish(event);
  }

  @Override
  public void flush() {
    written.flush();
  }

  /** Returns to the logger, which the log manager has just removed this handler from. */
  @Override
  public void close() {
    flush();
    logger.removeHandler(this);
    logger.addHandler(this);
  }
}
