package io.firn.lease;

import io.firn.store.Binding;
import io.firn.store.Register;
import org.jspecify.annotations.Nullable;

/**
 * The register of a namespace at one moment.
 *
 * @param register the register as it was read
 * @param record its value
 * @param nowMillis the store's clock then; this process's where the store has none
 * @param binding what a write is bound to; null where the store has no identity
 */
record NamespaceView(
    Register register, NamespaceRecord record, long nowMillis, @Nullable Binding binding) {

  Layouts layouts() {
    return record.layouts();
  }

  /** Returns the nonce of the mark; empty if there is none. */
  String mark() {
    NamespaceRecord.MarkRecord mark = record.mark();
    return mark == null ? "" : mark.nonce();
  }

  /** Returns this with another record, as it is once that was written. */
  NamespaceView with(NamespaceRecord written) {
    return new NamespaceView(register, written, nowMillis, binding);
  }
}
