package io.firn.segment;

import io.firn.store.RegisterStore;

/**
 * A source of segments: a counter for each key, shared by all processes. Implementations are
 * thread-safe.
 *
 * <p>No number of a key is ever handed out twice: a segment whose reply was lost is lost. A source
 * gives what it has: fewer numbers than asked for (at the end of its range), more (where a table
 * says how many), one at a time (a ticket server), or numbers that are some way apart (several
 * databases that share them).
 */
@FunctionalInterface
public interface SegmentSource extends AutoCloseable {

  /** The longest key that {@link #requireKey} lets pass, in characters. */
  int MAX_KEY_LENGTH = 128;

  /**
   * Takes numbers from the counter of a key. Called on a thread that may wait. It should give up
   * after a few seconds, because other keys wait for the same thread.
   *
   * @param count how many are wanted, 1..{@link Segment#MAX_COUNT}
   * @return what was taken
   * @throws SegmentRefusedException if the source has answered that it gives none, and waiting will
   *     not help: the key is unknown, the numbers are used up
   * @throws RuntimeException if the source could not be asked; it is asked again a little later
   */
  Segment next(String key, long count);

  /**
   * Takes back numbers that were not used, unless later ones were handed out since.
   *
   * @param rest the end of a segment that {@link #next} gave
   * @return whether they were taken back
   */
  default boolean giveBack(String key, Segment rest) {
    return false;
  }

  /**
   * Returns the key if this source may have it: unless overridden, 1..128 characters.
   *
   * @throws IllegalArgumentException if it may not
   */
  default String requireKey(String key) {
    if (key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key: " + key + " (expected: 1.." + MAX_KEY_LENGTH + " characters)");
    }
    return key;
  }

  /** Closes what {@link #open} opened. Unless overridden, there is nothing to close. */
  @Override
  default void close() {}

  /**
   * Opens a source by its address: {@code leaf:} or {@code tinyid:} and the address of the database
   * with its table, or the address of a register store that keeps the counters. Does not connect.
   *
   * @throws IllegalArgumentException if there is no such source, or the address is wrong
   * @throws io.firn.store.StoreException if the store cannot be opened
   */
  static SegmentSource open(String address) {
    return SegmentSources.open(address);
  }

  /** Returns the counters in a store, which is closed with the source. */
  static SegmentSource of(RegisterStore store) {
    return SegmentSources.of(store);
  }

  /** Returns the address of this source, without secrets. */
  @Override
  String toString();
}
