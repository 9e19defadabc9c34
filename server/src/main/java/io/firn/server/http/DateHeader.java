package io.firn.server.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The header {@code Date} (RFC 9110, section 6.6.1), made once a second. Thread-safe. */
final class DateHeader {

  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private volatile Made newest = new Made(Long.MIN_VALUE, "");

  private record Made(long second, String text) {}

  /** Returns its value at a time of the clock. */
  String at(long millis) {
    long second = Math.floorDiv(millis, TimeUnit.SECONDS.toMillis(1));
    Made made = newest;
    if (made.second() != second) {
      made = new Made(second, FORM.format(Instant.ofEpochSecond(second)));
      newest = made;
    }
    return made.text();
  }
}
