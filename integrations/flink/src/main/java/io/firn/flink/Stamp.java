package io.firn.flink;

import java.io.Serializable;

/**
 * Puts an ID into a row. Serializable, as functions of Flink are.
 *
 * @param <T> the row before
 * @param <R> the row with its ID
 */
@FunctionalInterface
public interface Stamp<T, R> extends Serializable {

  /** Returns the row with its ID. */
  R stamp(T row, long id) throws Exception;
}
