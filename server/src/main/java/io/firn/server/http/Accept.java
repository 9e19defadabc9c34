package io.firn.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The media type that a client prefers (RFC 9110, section 12.5.1). */
final class Accept {

  private static final Pattern QUALITY = Pattern.compile("q=(0(\\.[0-9]{0,3})?|1(\\.0{0,3})?)");

  /** More of the header is not read: no client sends as much. */
  private static final int MAX_LENGTH = 1024;

  private Accept() {}

  /**
   * The quality of a type, by the range that names it most exactly.
   *
   * @param quality 0 if no range names it
   * @param position the number of ranges before that one
   */
  private record Preference(double quality, int position) {

    boolean isMoreThan(Preference other) {
      return quality == other.quality ? position < other.position : quality > other.quality;
    }
  }

  /**
   * Returns the type that the client prefers most; empty if it accepts none. Of equals it is the
   * one that the client names first, and otherwise the first one.
   */
  static Optional<String> best(String header, List<String> types) {
    String read = header.substring(0, Math.min(MAX_LENGTH, header.length()));
    String[] ranges = read.toLowerCase(Locale.ROOT).split(",", -1);
    String best = null;
    Preference most = new Preference(0, 0);
    for (String type : types) {
      Preference preference = preference(ranges, type);
      if (preference.quality > 0 && (best == null || preference.isMoreThan(most))) {
        most = preference;
        best = type;
      }
    }
    return Optional.ofNullable(best);
  }

  private static Preference preference(String[] ranges, String type) {
    Preference preference = new Preference(0, 0);
    int exactness = 0;
    for (int i = 0; i < ranges.length; i++) {
      String[] parts = ranges[i].split(";", -1);
      int exact = exactness(parts[0].strip(), type);
      if (exact > exactness) {
        exactness = exact;
        preference = new Preference(quality(parts), i);
      }
    }
    return preference;
  }

  private static int exactness(String range, String type) {
    if (range.equals(type)) {
      return 3;
    }
    String group = type.substring(0, type.indexOf('/'));
    return range.equals(group + "/*") ? 2 : range.equals("*/*") ? 1 : 0;
  }

  private static double quality(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String part = parts[i].strip();
      if (QUALITY.matcher(part).matches()) {
        return Double.parseDouble(part.substring(2));
      }
    }
    return 1;
  }
}
