package io.firn.spring;

import io.firn.FirnException;
import java.util.List;

/** There is no store to lease from, or more than one that could be meant. */
final class NoStoreException extends FirnException {

  private static final long serialVersionUID = 1L;

  /**
   * @param candidates what could be named; the application has it
   * @param dataSources the names of the DataSource beans, of which none is the primary one
   */
  NoStoreException(String store, List<String> candidates, List<String> dataSources) {
    super(
        "firn.store: "
            + store
            + " (expected: "
            + (candidates.isEmpty() ? "" : "one of " + String.join(", ", candidates) + ", or ")
            + "the address of a store to lease worker IDs from, which are never guessed"
            + (dataSources.size() > 1
                ? "; no primary one among the DataSource beans " + String.join(", ", dataSources)
                : "")
            + ")");
  }
}
