package io.firn.verify;

import io.firn.text.IdFormat;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The position of the ID in a line.
 *
 * @param column its number from 1; empty if the ID is the line
 * @param columnName its name in the first line; empty if it has none
 * @param separator what is between columns; empty for a tab where the first line has one, else a
 *     comma
 * @param header whether the first line of each file holds no ID
 * @param form how IDs are written
 */
public record LineFormat(
    OptionalInt column,
    Optional<String> columnName,
    Optional<Character> separator,
    boolean header,
    IdFormat form) {

  /** A decimal ID in each line, and nothing else. */
  public static final LineFormat PLAIN =
      new LineFormat(
          OptionalInt.empty(), Optional.empty(), Optional.empty(), false, IdFormat.DECIMAL);

  /** Returns whether a line has several columns. */
  boolean hasColumns() {
    return column.isPresent() || columnName.isPresent();
  }
}
