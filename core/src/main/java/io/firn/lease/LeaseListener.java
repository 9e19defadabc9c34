package io.firn.lease;

/**
 * A listener for changes of a lease. It is called on the keeper's threads, for the first lease on
 * the building thread, and must return soon. Its exceptions are logged and change nothing.
 */
public interface LeaseListener {

  /** A worker ID was leased: the first, or another after a loss. */
  default void acquired(LeaseStatus status) {}

  /** The window was extended. */
  default void renewed(LeaseStatus status) {}

  /**
   * The lease was lost: another process has the register, or the store has lost an acknowledged
   * write. The keeper seeks another worker ID. A lease that only ran out is not lost: {@link
   * #expired} and {@link #acquired} follow each other.
   */
  default void lost(LeaseStatus status) {}

  /**
   * The window ran out before it could be extended; no IDs until it is. Notified whatever the
   * cause, also while the store hangs.
   */
  default void expired(LeaseStatus status) {}
}
