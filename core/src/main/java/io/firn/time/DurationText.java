package io.firn.time;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as settings write them: {@code 500ms}, {@code 5s}, {@code 2m}, {@code 1h}. */
public final class DurationText {

  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

  /** The units, the largest first. */
  private static final List<String> UNITS = List.of("h", "m", "s", "ms");

  private static final Duration LONGEST = Duration.ofHours(999_999_999);

  private DurationText() {}

  /** Returns the duration that a text writes; empty if it writes none. */
  public static Optional<Duration> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    return Optional.of(unit(form.group(2)).multipliedBy(Long.parseLong(form.group(1))));
  }

  /**
   * Returns the text of a duration in the largest unit that writes it as a whole number; {@link
   * Duration#toString} of one that no text writes.
   */
  public static String write(Duration duration) {
    if (duration.isZero()) {
      return "0ms";
    }
    if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
      return duration.toString();
    }
    return UNITS.stream()
        .map(unit -> duration.dividedBy(unit(unit)) + unit)
        .filter(text -> parse(text).equals(Optional.of(duration)))
        .findFirst()
        .orElseGet(duration::toString);
  }

  private static Duration unit(String name) {
    return switch (name) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      default -> Duration.ofHours(1);
    };
  }
}
