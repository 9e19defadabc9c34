package io.firn.cli;

import io.firn.IdLayout;
import java.util.Iterator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The argument that names a layout, and what a shell may complete it to. */
final class LayoutArgument implements Iterable<String> {

  private static final Pattern WIDTH = Pattern.compile("([0-9]{1,2})[tdws](?=[+@])");

  /** Reads a name or a text form; one that is too wide is answered with one that is not. */
  static IdLayout read(String text) {
    try {
      return IdLayout.of(text);
    } catch (IllegalArgumentException e) {
      if (bits(text) <= 63) {
        throw e;
      }
      throw new IllegalArgumentException(
          e.getMessage() + "\nHint: a million workers fit into game, " + IdLayout.GAME, e);
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

  /** The name of a layout, or its text form if it has none. */
  static String nameOf(IdLayout layout) {
    return layout.name().orElseGet(layout::toString);
  }

  @Override
  public Iterator<String> iterator() {
    return IdLayout.named().keySet().iterator();
  }
}
