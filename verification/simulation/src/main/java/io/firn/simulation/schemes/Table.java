package io.firn.simulation.schemes;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns: a Markdown table that lines up. */
public final class Table {

  private final List<List<String>> rows = new ArrayList<>();

  public Table(String... heads) {
    row((Object[]) heads);
    rows.add(new ArrayList<>());
  }

  public void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell.toString());
    }
    rows.add(row);
  }

  private int width(int column) {
    return rows.stream()
        .filter(row -> !row.isEmpty())
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < rows.get(0).size(); column++) {
        int width = width(column);
        String cell = row.isEmpty() ? "-".repeat(width) : row.get(column);
        text.append("| ").append(cell).append(" ".repeat(width - cell.length() + 1));
      }
      text.append("|\n");
    }
    return text.toString();
  }
}
