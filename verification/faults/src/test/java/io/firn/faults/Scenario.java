package io.firn.faults;

/** A store, and what happens to it and to the fleet. Its constructor starts the store. */
interface Scenario extends AutoCloseable {

  /** The address of the store, as a user writes it. */
  String store();

  /** Returns the length of a lease's window as a share of the run. */
  default double windowShare() {
    return 0.2;
  }

  /**
   * Returns whether there are no more worker IDs than processes need, so that processes that start
   * later take those of others as soon as they may.
   */
  default boolean isCrowded() {
    return false;
  }

  /** Returns how long a store that was replaced continues, as a share of the run. */
  default double splitShare() {
    return 0;
  }

  /** Plays the faults. */
  void play(Stage stage, Fleet fleet);

  /** Ends the servers and deletes their data. */
  @Override
  void close();
}
