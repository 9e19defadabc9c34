package io.firn.flink;

import io.firn.block.PlacedIds.Place;
import java.io.Serializable;

/**
 * Finds the place of something in the input. The same row has the same place in every run, and no
 * two rows have one. Serializable, as functions of Flink are.
 *
 * @param <T> what has a place: a row, or a split of a source
 */
@FunctionalInterface
public interface RowPlace<T> extends Serializable {

  /** Returns the place. */
  Place of(T value);
}
