package io.firn.lease;

import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import java.util.Optional;

/**
 * The mark of a namespace, and what was read together with it at one moment.
 *
 * @param snapshot the registers, the identity and the clock that were read with it
 * @param homes the home datacenters of the namespace in this store
 * @param mark the mark, written under the identity of the snapshot, and complete
 * @param binding binds a write to that identity and that mark
 */
record MarkRead(Snapshot snapshot, Homes homes, MarkRecord mark, Binding binding) {

  long nowMillis() {
    return snapshot.timeMillis();
  }

  Optional<Register> register(String name) {
    return snapshot.register(name);
  }

  /** Returns where windows begin at the earliest. */
  long settledAtMillis() {
    return mark.settledAtMillis();
  }

  boolean isSettled() {
    return nowMillis() >= settledAtMillis();
  }

  /** Returns whether nothing is granted yet, because new processes wait for the settling time. */
  boolean mustWait() {
    return mark.afterLoss() == AfterLoss.WAIT && !isSettled();
  }

  boolean hasMarkOf(MarkRead other) {
    return mark.nonce().equals(other.mark.nonce());
  }
}
