package io.firn.simulation.world;

/** Sees every ID that is issued. */
public interface Judge {

  /**
   * Records an ID.
   *
   * @param floor what the generator had issued before this ID was asked for; the ID must be larger
   */
  void issued(Slot slot, long id, long floor);
}
