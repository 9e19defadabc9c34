package io.firn.lease;

import io.firn.FirnException;

/** Thrown when a generator has used up its window and could not have a further one yet. */
public final class LeaseExpiredException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final transient LeaseStatus status;

  LeaseExpiredException(LeaseStatus status, String message) {
    super(message);
    this.status = status;
  }

  /** Returns the lease at the moment of the failure; null in an exception that was deserialized. */
  public LeaseStatus status() {
    return status;
  }
}
