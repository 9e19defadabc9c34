package io.firn.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which type a client would like best (RFC 9110, section 12.5.1). */
final class Accept {

  private static final Pattern QUALITY = Pattern.compile("q=(0(\\.[0-9]{0,3})?|1(\\.0{0,3})?)");

  /** More of the header is not read: no client sends as much. */
  private static final int MAX_LENGTH = 1024;

  private Accept() {}

  /** The most welcome of the types, the first of equals; empty if none is welcome. */
  static Optional<String> best(String header, List<String> types) {
    String read = header.substring(0, Math.min(MAX_LENGTH, header.length()));
    String accept = read.toLowerCase(Locale.ROOT);
    String best = null;
    double most = 0;
    for (String type : types) {
      double quality = quality(accept, type);
      if (quality > most) {
        most = quality;
        best = type;
      }
    }
    return Optional.ofNullable(best);
  }

  /** The quality of the range that names the type most exactly; 0 if none does. */
  private static double quality(String accept, String type) {
    double quality = 0;
    int exactness = 0;
    for (String range : accept.split(",", -1)) {
      String[] parts = range.split(";", -1);
      int exact = exactness(parts[0].strip(), type);
      if (exact > exactness) {
        exactness = exact;
        quality = quality(parts);
      }
    }
    return quality;
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
