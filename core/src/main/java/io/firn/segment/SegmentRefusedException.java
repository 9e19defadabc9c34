package io.firn.segment;

import io.firn.FirnException;

/**
 * Thrown by a source that was reached and refuses a segment until an operator acts: the key is
 * unknown, the numbers are used up, the counter went back.
 */
public class SegmentRefusedException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public SegmentRefusedException(String message) {
    super(message);
  }
}
