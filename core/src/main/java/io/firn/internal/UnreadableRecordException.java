package io.firn.internal;

import io.firn.store.StoreException;

/** Thrown when a register holds what this version cannot read. */
public final class UnreadableRecordException extends StoreException {

  private static final long serialVersionUID = 1;

  UnreadableRecordException(String message) {
    super(message);
  }
}
