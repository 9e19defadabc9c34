package io.firn.cli;

import io.firn.text.IdFormat;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** The argument of {@code --format}, and what a shell may complete it to. */
final class FormatArgument implements Iterable<String> {

  static IdFormat read(String text) {
    return Arrays.stream(IdFormat.values())
        .filter(format -> format.label().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() -> refused(text));
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "format: " + text + " (expected: " + String.join(", ", names()) + ")");
  }

  private static List<String> names() {
    return Arrays.stream(IdFormat.values()).map(IdFormat::label).toList();
  }

  @Override
  public Iterator<String> iterator() {
    return names().iterator();
  }
}
