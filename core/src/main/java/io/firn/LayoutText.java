package io.firn;

import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The text form of a layout: fields, high to low, then the epoch, then the tick. */
final class LayoutText {

  private static final Pattern FORM = Pattern.compile("([^@/]+)@([^@/]+)/([0-9]{1,19})(ms|s)");
  private static final Pattern FIELD = Pattern.compile("([0-9]{1,2})([tdws])");
  private static final Pattern SHAPE = Pattern.compile(FIELD + "(\\+" + FIELD + ")*");
  private static final double MILLIS_PER_YEAR = 365.2425 * 24 * 3600 * 1000;

  private LayoutText() {}

  static IdLayout parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw malformed(text);
    }
    IdLayout.Builder builder = IdLayout.builder();
    addFields(builder, form.group(1), text);
    return builder.epoch(epoch(form.group(2))).tick(tick(form, text)).build();
  }

  private static void addFields(IdLayout.Builder builder, String shape, String text) {
    if (!SHAPE.matcher(shape).matches()) {
      throw malformed(text);
    }
    Matcher field = FIELD.matcher(shape);
    while (field.find()) {
      builder.field(kind(field.group(2).charAt(0)), Integer.parseInt(field.group(1)));
    }
  }

  private static Kind kind(char letter) {
    for (Kind kind : Kind.values()) {
      if (kind.letter == letter) {
        return kind;
      }
    }
    throw new AssertionError(letter);
  }

  private static Instant epoch(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "epoch: " + text + " (expected: an instant such as 2026-01-01T00:00:00Z)", e);
    }
  }

  private static Duration tick(Matcher form, String text) {
    try {
      long amount = Long.parseLong(form.group(3));
      return form.group(4).equals("s") ? Duration.ofSeconds(amount) : Duration.ofMillis(amount);
    } catch (NumberFormatException e) {
      throw malformed(text);
    }
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "layout: "
            + text
            + " (expected: a name such as twitter, or a form such as"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  static String format(IdLayout layout) {
    return shape(layout.fields()) + "@" + layout.epoch() + "/" + tick(layout.tickMillis());
  }

  static String shape(List<Field> fields) {
    return fields.stream()
        .map(field -> field.bits() + String.valueOf(field.kind().letter))
        .collect(Collectors.joining("+"));
  }

  private static String tick(long millis) {
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }

  static String tooWide(
      String shape, List<Field> fields, int total, int timeBits, long tickMillis) {
    String sum =
        fields.stream().map(f -> Integer.toString(f.bits())).collect(Collectors.joining(" + "));
    double years = Math.scalb((double) tickMillis, timeBits) / MILLIS_PER_YEAR;
    return String.format(
        Locale.ROOT,
        "layout: %s (expected: at most 63 bits, or 64 with time first; %s = %d;"
            + " %d bits of %s last %.1f years)",
        shape,
        sum,
        total,
        timeBits,
        tick(tickMillis),
        years);
  }
}
