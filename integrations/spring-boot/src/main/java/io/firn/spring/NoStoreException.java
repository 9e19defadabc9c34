package io.firn.spring;

import io.firn.FirnException;
import java.util.List;

/** There is no store to lease from, or more than one that could be meant. */
final class NoStoreException extends FirnException {

  private static final long serialVersionUID = 1L;

  /**
   * @param candidates what could be named; the application has it
   */
  NoStoreException(String store, List<String> candidates) {
    super(
        "firn.store: "
            + store
            + " (expected: "
            + (candidates.isEmpty() ? "" : "one of " + String.join(", ", candidates) + ", or ")
            + "the address of a store to lease worker IDs from, which are never guessed)");
  }
}
