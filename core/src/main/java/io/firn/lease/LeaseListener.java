package io.firn.lease;

/**
 * Hears what becomes of a lease. Called on the keeper's thread (and on the building thread for the
 * first lease), so it must return soon; what it throws is logged and changes nothing.
 */
public interface LeaseListener {

  /** A worker ID was leased: the first, or another after a loss. */
  default void acquired(LeaseStatus status) {}

  /** The window was extended. */
  default void renewed(LeaseStatus status) {}

  /** Somebody else has the register, or the store has forgotten it; another worker ID is sought. */
  default void lost(LeaseStatus status) {}

  /** The window ran out before it could be extended; no IDs until it is. */
  default void expired(LeaseStatus status) {}
}
