package io.firn.decode;

import java.util.List;
import java.util.Locale;

/** The names of namespaces in a sentence. A server may have hundreds. */
final class Names {

  private static final int MOST = 3;

  private Names() {}

  /**
   * Returns the names joined by a word such as {@code or}: all, or the first three and how many
   * others there are.
   */
  static String joined(List<String> names, String word) {
    return names.size() <= MOST + 1
        ? String.join(" " + word + " ", names)
        : String.format(
            Locale.ROOT,
            "%s %s %,d others",
            String.join(", ", names.subList(0, MOST)),
            word,
            names.size() - MOST);
  }
}
