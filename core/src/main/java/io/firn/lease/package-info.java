/**
 * Leases of worker IDs: the protocol that keeps two processes from using one worker ID for the same
 * ID time, written once over the verbs of a {@link io.firn.store.RegisterStore}.
 */
@NullMarked
package io.firn.lease;

import org.jspecify.annotations.NullMarked;
