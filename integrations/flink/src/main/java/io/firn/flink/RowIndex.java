package io.firn.flink;

import java.io.Serializable;

/**
 * Finds the number of a row in its place, such as the offset. Serializable, as functions of Flink
 * are.
 *
 * @param <T> the row
 */
@FunctionalInterface
public interface RowIndex<T> extends Serializable {

  /** Returns the number, 0 or more. */
  long of(T row);
}
