package io.firn.simulation.schemes;

import io.firn.FirnException;

/** Thrown by the other schemes when they cannot issue an ID. */
final class Refused extends FirnException {

  private static final long serialVersionUID = 1L;

  Refused(String message) {
    super(message);
  }
}
