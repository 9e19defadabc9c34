package io.firn.internal;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Instants in ISO 8601, in UTC and with milliseconds, as all answers and tables write them. */
public final class IsoTime {

  private static final DateTimeFormatter UTC =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private IsoTime() {}

  /** Returns {@code 2016-04-30T11:18:25.796Z}. */
  public static String utc(Instant instant) {
    return UTC.format(instant);
  }
}
