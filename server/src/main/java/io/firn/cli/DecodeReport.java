package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What an ID says, for people to read. */
final class DecodeReport {

  private static final int SHOWN = 5;

  /** Twitter's first snowflake: lower ones came from a counter. */
  private static final long FIRST_TWITTER_SNOWFLAKE = 29_700_859_247L;

  private static final long LAST_EXACT_IN_JAVASCRIPT = 1L << 53;

  private final Shell shell;
  private final Instant now;

  DecodeReport(Shell shell, Instant now) {
    this.shell = shell;
    this.now = now;
  }

  /** One ID in a known layout. */
  String of(IdLayout layout, IdParts parts) {
    return Long.toUnsignedString(parts.id())
        + "  "
        + layout.name().map(name -> name + " " + layout).orElseGet(layout::toString)
        + "\n\n"
        + details(layout, parts);
  }

  /** One ID in each plausible layout, the first in detail. */
  String of(List<FamilyGuess> guesses) {
    FamilyGuess best = guesses.get(0);
    return of(best.layout(), best.parts())
        + why(best)
        + notes(best.parts().id())
        + others(guesses)
        + "\n";
  }

  private String details(IdLayout layout, IdParts parts) {
    BitPicture picture = new BitPicture(layout, shell.ansi());
    StringBuilder text = new StringBuilder();
    for (Field field : layout.fields()) {
      text.append(row(picture, field.kind(), value(field.kind(), parts)));
      if (field.kind() == Kind.TIME) {
        text.append(line("", Times.local(parts.instant(), shell.zone())));
        text.append(line("", Age.of(parts.instant(), now)));
      }
    }
    return text + "\n" + picture.of(parts.id()) + "\n";
  }

  private static String row(BitPicture picture, Kind kind, String value) {
    return line(kind.label(), value).replaceFirst(kind.label(), picture.label(kind));
  }

  private static String line(String label, String value) {
    return String.format(Locale.ROOT, "  %-10s  %s\n", label, value);
  }

  private static String value(Kind kind, IdParts parts) {
    return switch (kind) {
      case TIME -> Times.utc(parts.instant());
      case DATACENTER -> Long.toString(parts.datacenter());
      case WORKER -> Long.toString(parts.worker());
      case SEQUENCE -> Long.toString(parts.sequence());
    };
  }

  private static String why(FamilyGuess best) {
    return "No layout was given; "
        + best.name()
        + " is the most plausible one"
        + (best.reasons().isEmpty() ? "" : ": " + String.join(", ", best.reasons()))
        + ".\n";
  }

  private static String notes(long id) {
    return predatesSnowflakes(id) + wasMaybeRounded(id);
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
        ? "It ends in 00: a JavaScript number on its way may have rounded it.\n"
        : "";
  }

  private String others(List<FamilyGuess> guesses) {
    if (guesses.size() == 1) {
      return "No other named layout fits.\n";
    }
    StringBuilder text = new StringBuilder("Others fit too, in this order:\n\n");
    guesses.stream().skip(1).limit(SHOWN - 1).forEach(guess -> text.append(other(guess)));
    if (guesses.size() > SHOWN) {
      text.append("  then ").append(names(guesses.subList(SHOWN, guesses.size()))).append("\n");
    }
    return text + tie(guesses);
  }

  private String other(FamilyGuess guess) {
    return String.format(
        Locale.ROOT,
        "  %-14s  %s  %s\n                  %s\n",
        guess.name(),
        Times.utc(guess.parts().instant()),
        Age.of(guess.parts().instant(), now),
        clues(guess));
  }

  private static String clues(FamilyGuess guess) {
    String fields =
        guess.layout().fields().stream()
            .map(Field::kind)
            .filter(kind -> kind != Kind.TIME)
            .map(kind -> kind.label() + " " + value(kind, guess.parts()))
            .collect(Collectors.joining(", "));
    List<String> said =
        guess.reasons().stream().filter(reason -> !reason.equals("worker 0")).toList();
    return said.isEmpty() ? fields : fields + "; " + String.join(", ", said);
  }

  private static String tie(List<FamilyGuess> guesses) {
    List<FamilyGuess> equal = FamilyRanking.indistinct(guesses);
    return equal.size() == 1
        ? ""
        : "\nThe bits alone cannot tell these apart, they are split alike:\n  "
            + names(equal)
            + "\nIf you know the layout, give it: --layout NAME\n";
  }

  private static String names(List<FamilyGuess> guesses) {
    return guesses.stream().map(FamilyGuess::name).collect(Collectors.joining(", "));
  }
}
