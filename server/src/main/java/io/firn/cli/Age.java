package io.firn.cli;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** How far apart two instants are, in the two largest units, as one says it. */
final class Age {

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

  private Age() {}

  /** For example {@code 10 years 6 months ago}, {@code in 3 s} or {@code now}. */
  static String of(Instant then, Instant now) {
    if (then.equals(now)) {
      return "now";
    }
    return then.isAfter(now) ? "in " + span(now, then) : span(then, now) + " ago";
  }

  /** For example {@code 54 years 1 month}; seconds come without milliseconds. */
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
