package io.firn.cli;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Numbers, instants and durations as people read them. */
final class HumanText {

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS xxx", Locale.ROOT);

  private record Unit(ChronoUnit unit, String one, String many) {
    Unit(ChronoUnit unit, String symbol) {
      this(unit, symbol, symbol);
    }

    String say(long amount) {
      return amount + " " + (amount == 1 ? one : many);
    }
  }

  private static final Unit[] UNITS = {
    new Unit(ChronoUnit.YEARS, "year", "years"),
    new Unit(ChronoUnit.MONTHS, "month", "months"),
    new Unit(ChronoUnit.DAYS, "day", "days"),
    new Unit(ChronoUnit.HOURS, "h"),
    new Unit(ChronoUnit.MINUTES, "min"),
    new Unit(ChronoUnit.SECONDS, "s"),
    new Unit(ChronoUnit.MILLIS, "ms"),
  };

  private HumanText() {}

  /** Returns a number with separators and at most two decimals: {@code 4,096,000}. */
  static String amount(double value) {
    return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT))
        .format(value);
  }

  /** Returns {@code 2016-04-30 13:18:25.796 +02:00 Europe/Zurich}. */
  static String local(Instant instant, ZoneId zone) {
    return LOCAL.format(instant.atZone(zone)) + " " + zone.getId();
  }

  /** Returns {@code 10 years 6 months ago}, {@code in 3 s} or {@code now}. */
  static String age(Instant then, Instant now) {
    if (then.equals(now)) {
      return "now";
    }
    return then.isAfter(now) ? "in " + span(now, then) : span(then, now) + " ago";
  }

  /** Returns {@code 54 years 1 month}; seconds come without milliseconds. */
  static String span(Instant from, Instant to) {
    ZonedDateTime rest = from.atZone(ZoneOffset.UTC);
    ZonedDateTime end = to.atZone(ZoneOffset.UTC);
    for (int i = 0; i < UNITS.length; i++) {
      long amount = rest.until(end, UNITS[i].unit);
      if (amount > 0) {
        String second = second(i + 1, rest.plus(amount, UNITS[i].unit), end);
        return UNITS[i].say(amount) + second;
      }
    }
    return "0 ms";
  }

  private static String second(int index, ZonedDateTime rest, ZonedDateTime end) {
    if (index >= UNITS.length - 1) {
      return "";
    }
    long amount = rest.until(end, UNITS[index].unit);
    return amount == 0 ? "" : " " + UNITS[index].say(amount);
  }
}
