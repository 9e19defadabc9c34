package io.firn.simulation.schemes;

import io.firn.FirnException;

/** What the other schemes answer when they cannot serve. */
final class Refused extends FirnException {

  private static final long serialVersionUID = 1L;

  Refused(String message) {
    super(message);
  }
}
