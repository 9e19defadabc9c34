package io.firn.simulation;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Silences the production code's warnings: in a world of faults there are thousands. */
final class Quiet {

  /** Held, because a logger without a strong reference is collected. */
  private static final Logger LOGGER = Logger.getLogger("io.firn");

  private Quiet() {}

  static void please() {
    LOGGER.setLevel(Level.OFF);
  }
}
