package io.firn;

/**
 * Thrown when all numbers of a tick are used and the clock does not reach the next one: it stands
 * still.
 */
public final class SequenceExhaustedException extends FirnException {

  private static final long serialVersionUID = 1L;

  SequenceExhaustedException(String message) {
    super(message);
  }
}
