package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.WholeNumber;
import io.firn.server.config.Words;
import io.firn.store.StoreUri;
import io.firn.text.IdFormat;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads arguments, and lists what a shell may complete them to. */
final class Arguments {

  private static final Pattern WIDTH = Pattern.compile("([0-9]{1,2})[tdws](?=[+@])");
  private static final int LENGTH_OF_DAY = "2026-11-01".length();

  private Arguments() {}

  /** Reads a name or a text form of a layout; suggests another one if it is too wide. */
  static IdLayout layout(String text) {
    try {
      return IdLayout.of(text);
    } catch (IllegalArgumentException e) {
      Optional<String> meant = Words.nearest(text, IdLayout.named().keySet());
      if (meant.isPresent()) {
        throw new IllegalArgumentException(
            "layout: " + text + " (expected: " + meant.get() + ")", e);
      }
      if (bits(text) <= 63) {
        throw e;
      }
      throw new IllegalArgumentException(
          e.getMessage() + "; a million workers fit into game, " + IdLayout.GAME, e);
    }
  }

  private static int bits(String text) {
    return WIDTH
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .mapToInt(width -> Integer.parseInt(width.substring(0, width.length() - 1)))
        .sum();
  }

  /** Returns the name of a layout, or its text form if it has none. */
  static String nameOf(IdLayout layout) {
    return layout.name().orElseGet(layout::toString);
  }

  /** Reads an instant, or a day in UTC as the instant at which it begins. */
  static Instant instant(String text) {
    try {
      return text.length() <= LENGTH_OF_DAY
          ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "time: " + text + " (expected: 2026-11-01, in UTC, or 2026-11-01T09:30:00Z)", e);
    }
  }

  /** Reads worker IDs; an address in their place is refused without its secrets. */
  static WorkerSet workers(String text) {
    return WorkerSet.of(StoreUri.hide(text));
  }

  /** Reads one ASCII character; a tab may be written as {@code \\t}. */
  static char character(String text) {
    if (text.equals("\\t")) {
      return '\t';
    }
    if (text.length() != 1 || text.charAt(0) >= 128) {
      throw new IllegalArgumentException(
          "separator: " + text + " (expected: one ASCII character, or \\t)");
    }
    return text.charAt(0);
  }

  /** Reads a whole number of 32 bits; the form of its refusal is that of the parser's own. */
  static int smallNumber(String text) {
    try {
      return Math.toIntExact(WholeNumber.parse(text));
    } catch (NumberFormatException | ArithmeticException e) {
      throw new TypeConversionException(text);
    }
  }

  /** Reads how many IDs: 1..2^63-1. */
  static final class Count implements ITypeConverter<Long> {

    @Override
    public Long convert(String text) {
      try {
        long count = WholeNumber.parse(text);
        if (count > 0) {
          return count;
        }
      } catch (NumberFormatException e) {
        // Refused below.
      }
      throw new IllegalArgumentException(
          "count: " + text + " (expected: 1.." + Long.MAX_VALUE + ")");
    }
  }

  /** The names of layouts. */
  static final class LayoutNames implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return IdLayout.named().keySet().iterator();
    }
  }

  /** The names of formats. */
  static final class FormatNames implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(IdFormat.values()).map(IdFormat::label).iterator();
    }
  }

  /** The names of types of IDs. */
  static final class TypeNames implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return IdType.labels().iterator();
    }
  }
}
