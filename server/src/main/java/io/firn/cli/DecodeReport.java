package io.firn.cli;

import io.firn.decode.Decoder;
import io.firn.decode.IdField;
import io.firn.decode.NumberReading;
import io.firn.decode.Reading;
import io.firn.decode.WideReading;
import io.firn.internal.IsoTime;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The explanation of an ID, for people to read. */
final class DecodeReport {

  private static final int SHOWN = 5;

  /** Twitter's first snowflake: lower ones came from a counter. */
  private static final long FIRST_TWITTER_SNOWFLAKE = 29_700_859_247L;

  private static final long LAST_EXACT_IN_JAVASCRIPT = 1L << 53;

  private static final Set<String> SAID = Set.of("version", "variant");

  private final Shell shell;
  private final Instant now;

  DecodeReport(Shell shell, Instant now) {
    this.shell = shell;
    this.now = now;
  }

  /** Describes one reading, taken for granted. */
  String of(Reading reading) {
    return reading.id() + "  " + reading.title() + "\n\n" + details(reading);
  }

  /** Describes each plausible reading, the first in detail. */
  String of(List<Reading> readings) {
    return report(readings, SHOWN);
  }

  /** Describes each reading, the first in detail. */
  String all(List<Reading> readings) {
    return report(readings, readings.size());
  }

  private String report(List<Reading> readings, int shown) {
    Reading best = readings.get(0);
    return of(best) + why(best) + notes(best) + others(readings, shown) + "\n";
  }

  /** Describes the fields; returns nothing for an ID that has none, as the nil UUID. */
  private String details(Reading reading) {
    if (reading.fields().isEmpty()) {
      return "";
    }
    BitPicture picture = new BitPicture(reading, shell.ansi(), shell.columns());
    StringBuilder text = new StringBuilder();
    reading.instant().ifPresent(time -> text.append(moment(picture, time)));
    untitled(reading).forEach(field -> text.append(row(picture, field.name(), field.value())));
    return text + "\n" + picture.of(reading.binary()) + "\n";
  }

  private String moment(BitPicture picture, Instant instant) {
    return row(picture, "time", IsoTime.utc(instant))
        + line("", HumanText.local(instant, shell.zone().get()))
        + line("", HumanText.age(instant, now));
  }

  private static String row(BitPicture picture, String name, String value) {
    return line(name, value).replaceFirst(name, picture.label(name));
  }

  private static String line(String label, String value) {
    return String.format(Locale.ROOT, "  %-10s  %s\n", label, value);
  }

  /** Returns the fields apart from the time and what the title says already. */
  private static Stream<IdField> untitled(Reading reading) {
    return reading.fields().stream()
        .filter(field -> !field.isTime() && !SAID.contains(field.name()));
  }

  private static String why(Reading best) {
    String reasons = String.join(", ", best.reasons());
    String because = reasons.isEmpty() ? "" : ": " + reasons;
    if (best instanceof WideReading) {
      return "Read as " + best.form() + because + ".\n";
    }
    return (best.form().equals("decimal") ? "" : "Read as " + best.form() + ". ")
        + "No layout was given; "
        + best.type()
        + " is the most plausible one"
        + because
        + ".\n";
  }

  private static String notes(Reading best) {
    return best instanceof NumberReading number
        ? predatesSnowflakes(number.parts().id()) + wasMaybeRounded(number.parts().id())
        : "";
  }

  private static String predatesSnowflakes(long id) {
    return id >= 0 && id < FIRST_TWITTER_SNOWFLAKE
        ? "IDs below about "
            + FIRST_TWITTER_SNOWFLAKE
            + " are older than snowflakes on Twitter: a plain counter made them.\n"
        : "";
  }

  private static String wasMaybeRounded(long id) {
    return id > LAST_EXACT_IN_JAVASCRIPT && id % 100 == 0
        ? "It ends in 00: JavaScript may have rounded it.\n"
        : "";
  }

  private String others(List<Reading> readings, int shown) {
    Reading best = readings.get(0);
    if (readings.size() == 1) {
      return best instanceof NumberReading ? "No other named layout fits.\n" : "";
    }
    StringBuilder text = new StringBuilder("Others fit too, in this order:\n\n");
    readings.stream()
        .skip(1)
        .limit(shown - 1L)
        .forEach(reading -> text.append(other(reading, best)));
    if (readings.size() > shown) {
      text.append("  then ")
          .append(names(readings.subList(shown, readings.size()), best.form()))
          .append("\n");
    }
    return text + tie(readings);
  }

  private String other(Reading reading, Reading best) {
    return String.format(
        Locale.ROOT,
        "  %-14s  %s\n                  %s\n",
        reading.type(),
        reading
            .instant()
            .map(time -> IsoTime.utc(time) + "  " + HumanText.age(time, now))
            .orElse("no time"),
        clues(reading, best));
  }

  private static String clues(Reading reading, Reading best) {
    String form = reading.form().equals(best.form()) ? "" : "as " + reading.form() + "; ";
    String reasons =
        reading.reasons().stream()
            .filter(reason -> !reason.equals("worker 0"))
            .collect(Collectors.joining(", "));
    String fields =
        untitled(reading)
            .map(field -> field.name() + " " + field.value())
            .collect(Collectors.joining(", "));
    return form + fields + (fields.isEmpty() || reasons.isEmpty() ? "" : "; ") + reasons;
  }

  private static String tie(List<Reading> readings) {
    List<Reading> equal = Decoder.indistinct(readings).stream().filter(Reading::plausible).toList();
    return equal.size() <= 1
        ? ""
        : "\nThe bits alone cannot distinguish these; they are split in the same way:\n  "
            + names(equal, readings.get(0).form())
            + "\nIf you know the layout, give it: --layout NAME\n";
  }

  private static String names(List<Reading> readings, String form) {
    return readings.stream().map(reading -> reading.name(form)).collect(Collectors.joining(", "));
  }
}
