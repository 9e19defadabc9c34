package io.firn.simulation;

import io.firn.IdGenerator;

/** A way to give processes their worker IDs, with the generators that use them. */
interface Scheme {

  /** What a process that starts has of it. */
  Crew start(Incarnation process);

  /** The generators of one process, and what keeps their worker IDs. */
  interface Crew {

    /**
     * Starts a generator.
     *
     * @throws io.firn.FirnException if there is no worker ID for it now
     */
    Member open(int slot);

    /**
     * Does what the process does in the background.
     *
     * @return after how many nanoseconds it wants to be called again
     */
    long keep();
  }

  /** One generator. */
  interface Member extends IdGenerator, AutoCloseable {

    @Override
    void close();

    /** A generator for one thread over this one, or itself. */
    default IdGenerator newHandle() {
      return this;
    }

    /** Whether it may believe that its worker ID is its own, as those who gave it see it. */
    default boolean hasClaim() {
      return true;
    }
  }
}
