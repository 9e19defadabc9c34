package io.firn.simulation.world;

/** Ends every call of a process that has crashed meanwhile. */
final class Gone extends Error {

  private static final long serialVersionUID = 1L;

  Gone() {
    super("the process has crashed", null, false, false);
  }
}
