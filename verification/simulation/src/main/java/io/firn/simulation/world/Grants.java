package io.firn.simulation.world;

/** The IDs that a generator may issue. */
public interface Grants {

  /**
   * Records an ID that was issued.
   *
   * @throws Violation if the generator was not granted it
   */
  void require(Slot slot, long id);

  /**
   * Returns whether several copies of a process may have issued an ID, for it was theirs when
   * copied.
   */
  boolean isShared(Slot slot, long id);

  /**
   * Returns a number that no other ID has: where there are several counters, an ID alone is not it.
   */
  default long identity(Slot slot, long id) {
    return id;
  }
}
