package io.firn.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The argument that names an instant, by itself or as the day that it begins.
 *
 * @param instant the instant
 */
record Moment(Instant instant) {

  private static final int LENGTH_OF_DAY = "2026-11-01".length();

  static Moment of(String text) {
    try {
      return new Moment(
          text.length() <= LENGTH_OF_DAY
              ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
              : OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "time: " + text + " (expected: 2026-11-01, in UTC, or 2026-11-01T09:30:00Z)", e);
    }
  }

  static Instant required(@Nullable Moment argument) {
    return Objects.requireNonNull(argument).instant;
  }
}
