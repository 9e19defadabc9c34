package io.firn;

import java.util.Objects;

/** Issues 64-bit IDs. */
@FunctionalInterface
public interface IdGenerator {

  /**
   * Issues the next ID. Whether it may wait, and in which order IDs come, is stated by the
   * implementation; every ID is issued at most once.
   *
   * @throws FirnException if no ID can be issued now; the message says why
   */
  long nextId();

  /**
   * Fills {@code target[from]} up to {@code target[to - 1]} with IDs, in the order of {@link
   * #nextId()}.
   *
   * @param from index of the first element to fill
   * @param to index after the last element to fill
   * @throws IndexOutOfBoundsException if the range is not inside the array
   * @throws FirnException if not all IDs can be issued now; the elements then hold unspecified
   *     values that must not be used, and no ID among them is ever issued again
   */
  default void nextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    for (int i = from; i < to; i++) {
      target[i] = nextId();
    }
  }

  /** Fills the whole array; see {@link #nextIds(long[], int, int)}. */
  default void nextIds(long[] target) {
    nextIds(target, 0, target.length);
  }
}
