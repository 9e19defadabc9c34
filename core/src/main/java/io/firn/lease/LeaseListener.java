package io.firn.lease;

/**
 * A listener for changes of a lease. For the first lease it is called on the building thread, later
 * on threads for listeners, one event of a lease after the other, shortly after what it reports.
 * One that blocks delays no lease; four that block delay the notifications of every lease of the
 * process. Its exceptions are logged and change nothing.
 */
public interface LeaseListener {

  /** Called when a worker ID was leased: the first, or another after a loss. */
  default void acquired(LeaseStatus status) {}

  /** Called when the window was extended. */
  default void renewed(LeaseStatus status) {}

  /**
   * Called when the lease was lost: another process has the register, or the store has lost an
   * acknowledged write. The keeper seeks another worker ID. A lease that only ran out is not lost:
   * after {@link #expired} comes {@link #renewed} or {@link #acquired}, and IDs are issued again.
   */
  default void lost(LeaseStatus status) {}

  /**
   * Called when the window ran out before it could be extended; no IDs until it is. Notified
   * regardless of the cause, also while the store hangs.
   */
  default void expired(LeaseStatus status) {}
}
