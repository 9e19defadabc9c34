package io.firn.cli;

import io.firn.text.IdFormat;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** The argument of {@code --format}, and what a shell may complete it to. */
final class FormatArgument implements Iterable<String> {

  private static final List<String> NAMES =
      Arrays.stream(IdFormat.values()).map(f -> f.name().toLowerCase(Locale.ROOT)).toList();

  static IdFormat read(String text) {
    int index = NAMES.indexOf(text.toLowerCase(Locale.ROOT));
    if (index < 0) {
      throw new IllegalArgumentException(
          "format: " + text + " (expected: " + String.join(", ", NAMES) + ")");
    }
    return IdFormat.values()[index];
  }

  @Override
  public Iterator<String> iterator() {
    return NAMES.iterator();
  }
}
