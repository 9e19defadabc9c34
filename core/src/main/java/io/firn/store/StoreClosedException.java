package io.firn.store;

/** Thrown by a call to a store that is closed. */
public final class StoreClosedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  StoreClosedException(String message) {
    super(message);
  }
}
