package io.firn.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/**
 * Keeps warnings that repeat out of the log: one that differs from an earlier one by digits only,
 * or by the parameters of the event, is written once a minute, with how many were left out. A
 * warning of a lease or a counter differs by its name, which may contain digits, and repeats only
 * if it differs by times. An error of a lease is always written. Thread-safe.
 */
final class RepeatedEvents implements Filter {

  /** Of these, the warning that was repeated least lately is forgotten. */
  private static final int MAX_KNOWN = 1024;

  private static final int MAX_LENGTH = 400;
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** It counts by itself. */
  private static final String AUDIT = "io.firn.audit";

  private static final String LEASE = "io.firn.lease";
  private static final String SEGMENT = "io.firn.segment";

  private static final Pattern DIGITS = Pattern.compile("[0-9]+");
  private static final Pattern TIMES =
      Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|[0-9]+(?= (ms|s)\\b)");

  private final Formatter formatter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Repeats> known = new LinkedHashMap<>(MAX_KNOWN, 0.75f, true);

  RepeatedEvents(Formatter formatter) {
    this.formatter = formatter;
  }

  private static final class Repeats {
    private Instant written;
    private int leftOut;

    Repeats(Instant written) {
      this.written = written;
    }
  }

  @Override
  public boolean isLoggable(LogRecord event) {
    if (isAlwaysWritten(event)) {
      return true;
    }
    lock.lock();
    try {
      return isWritten(event);
    } finally {
      lock.unlock();
    }
  }

  private static boolean isAlwaysWritten(LogRecord event) {
    int level = event.getLevel().intValue();
    String logger = event.getLoggerName();
    return level < Level.WARNING.intValue()
        || AUDIT.equals(logger)
        || (LEASE.equals(logger) && level >= Level.SEVERE.intValue());
  }

  private boolean isWritten(LogRecord event) {
    String message = formatter.formatMessage(event);
    String key = key(event);
    Instant now = event.getInstant();
    Repeats repeats = known.get(key);
    if (repeats == null) {
      known.put(key, new Repeats(now));
      known.keySet().stream()
          .limit(Math.max(0, known.size() - MAX_KNOWN))
          .toList()
          .forEach(known::remove);
      return true;
    }
    if (now.isBefore(repeats.written.plus(PERIOD))) {
      repeats.leftOut++;
      return false;
    }
    if (repeats.leftOut > 0) {
      event.setParameters(null);
      event.setMessage(
          message + " (and " + repeats.leftOut + " times since " + repeats.written + ")");
    }
    repeats.written = now;
    repeats.leftOut = 0;
    return true;
  }

  private static String key(LogRecord event) {
    String logger = event.getLoggerName();
    String text = event.getLevel() + logger + " " + event.getMessage();
    Pattern ignored = LEASE.equals(logger) || SEGMENT.equals(logger) ? TIMES : DIGITS;
    return ignored.matcher(text.substring(0, Math.min(MAX_LENGTH, text.length()))).replaceAll("0");
  }
}
