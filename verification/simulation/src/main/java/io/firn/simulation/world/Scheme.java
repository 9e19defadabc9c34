package io.firn.simulation.world;

import io.firn.IdGenerator;

/** A way to give processes their worker IDs, with the generators that use them. */
public interface Scheme {

  /** Returns what a process that starts has of it. */
  Crew start(Incarnation process);

  /** Removes what it has left outside of the simulated world. */
  default void end() {}

  /** The generators of one process, and what keeps their worker IDs. */
  public interface Crew {

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

    /** Returns the same generators; a task runs first whenever their worker IDs are kept. */
    default Crew keepingFirst(Runnable task) {
      Crew crew = this;
      return new Crew() {
        @Override
        public Member open(int slot) {
          return crew.open(slot);
        }

        @Override
        public long keep() {
          task.run();
          return crew.keep();
        }
      };
    }
  }

  /** One generator. */
  public interface Member extends IdGenerator, AutoCloseable {

    @Override
    void close();

    /** Returns a generator for one thread over this one, or itself. */
    default IdGenerator newHandle() {
      return this;
    }

    /**
     * Returns whether it may believe that its worker ID is its own, as those who gave it see it.
     */
    default boolean hasClaim() {
      return true;
    }
  }
}
