package io.firn.client;

import io.firn.FirnException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Thrown when no server issued an ID in time. */
public final class IdsUnavailableException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final TreeMap<String, String> failures;

  IdsUnavailableException(String namespace, long waitedMillis, Map<String, String> failures) {
    super(
        "Namespace "
            + namespace
            + " has no ID after "
            + waitedMillis
            + " ms: "
            + new TreeMap<>(failures)
                .entrySet().stream()
                    .map(failure -> failure.getKey() + ": " + failure.getValue())
                    .collect(Collectors.joining("; ")));
    this.failures = new TreeMap<>(failures);
  }

  /** Returns the last failure of each server, by its address. */
  public Map<String, String> failures() {
    return Map.copyOf(failures);
  }
}
