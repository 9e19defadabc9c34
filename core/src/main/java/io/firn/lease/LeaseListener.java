package io.firn.lease;

/**
 * Is notified of changes of a lease. Called on the keeper's threads (and on the building thread for
 * the first lease), so it must return soon; what it throws is logged and changes nothing.
 */
public interface LeaseListener {

  /** A worker ID was leased: the first, or another after a loss. */
  default void acquired(LeaseStatus status) {}

  /** The window was extended. */
  default void renewed(LeaseStatus status) {}

  /**
   * Another process has the register, or the store has lost what it acknowledged; another worker ID
   * is sought. A lease that only ran out is not lost: {@link #expired} and {@link #acquired} follow
   * each other.
   */
  default void lost(LeaseStatus status) {}

  /**
   * The window ran out before it could be extended; no IDs until it is. Notified whatever the
   * cause, also while the store hangs.
   */
  default void expired(LeaseStatus status) {}
}
