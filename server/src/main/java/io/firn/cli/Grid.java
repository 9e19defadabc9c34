package io.firn.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table whose columns are as wide as their widest cell. If a row does not fit, the first column
 * is shortened, and then the end of the row is cut off.
 */
final class Grid {

  private static final int SHORTEST = 12;
  private static final String GAP = "  ";
  private static final String CUT = "…";

  private final String alignment;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Creates a table with its headings.
   *
   * @param alignment a letter for each column: {@code l} or {@code r}
   */
  Grid(String alignment, Object... headings) {
    this.alignment = alignment;
    add(headings);
  }

  void add(Object... cells) {
    rows.add(Arrays.stream(cells).map(String::valueOf).toList());
  }

  /** Returns the rows as lines of at most a given width. */
  String text(int columns) {
    int[] widths = new int[alignment.length()];
    rows.forEach(row -> widen(widths, row));
    int excess = Arrays.stream(widths).map(width -> width + GAP.length()).sum() - columns;
    widths[0] = Math.max(Math.min(SHORTEST, widths[0]), widths[0] - Math.max(0, excess));
    StringBuilder text = new StringBuilder();
    rows.forEach(row -> text.append(cut(line(widths, row), columns)).append('\n'));
    return text.toString();
  }

  private static void widen(int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], row.get(i).length());
    }
  }

  private String line(int[] widths, List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cut(row.get(i), widths[i]);
      String padding = " ".repeat(widths[i] - cell.length());
      line.append(i == 0 ? "" : GAP)
          .append(alignment.charAt(i) == 'r' ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 1) + CUT;
  }
}
