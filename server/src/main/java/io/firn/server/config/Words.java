package io.firn.server.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that was meant. */
public final class Words {

  /** More changes than these make another word. */
  private static final int MAX_CHANGES = 3;

  private Words() {}

  /**
   * Returns the valid word that a mistaken one begins, or else the nearest to it, if one is near.
   */
  public static Optional<String> nearest(String mistaken, Collection<String> valid) {
    return valid.stream()
        .filter(word -> mistaken.length() > MAX_CHANGES && word.startsWith(mistaken))
        .min(Comparator.comparingInt(String::length))
        .or(
            () ->
                valid.stream()
                    .filter(
                        word -> changes(mistaken, word) <= Math.min(MAX_CHANGES, word.length() / 2))
                    .min(Comparator.comparingInt(word -> changes(mistaken, word))));
  }

  /** Returns what to expect instead of a mistaken word: the nearest, or all where none is near. */
  static String expected(String mistaken, Collection<String> valid) {
    return nearest(mistaken, valid).orElseGet(() -> String.join(", ", valid));
  }

  /** Returns Levenshtein's distance: insertions, deletions and replacements of a character. */
  private static int changes(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
