package io.firn.cli;

import io.firn.json.Json;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Instants as text, always with milliseconds. */
final class Times {

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS xxx", Locale.ROOT);

  private Times() {}

  /** ISO 8601: {@code 2016-04-30T11:18:25.796Z}. */
  static String utc(Instant instant) {
    return Json.utc(instant);
  }

  /** {@code 2016-04-30 13:18:25.796 +02:00 Europe/Zurich}. */
  static String local(Instant instant, ZoneId zone) {
    return LOCAL.format(instant.atZone(zone)) + " " + zone.getId();
  }
}
