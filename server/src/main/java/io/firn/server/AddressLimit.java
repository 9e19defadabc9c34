package io.firn.server;

import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limit on how many connections of an address there may be that have presented no token. A
 * proxy has one address for many clients, but they present tokens. Thread-safe.
 */
final class AddressLimit {

  private final Map<Object, Integer> counts = new ConcurrentHashMap<>();
  private volatile OptionalInt most;

  AddressLimit(OptionalInt most) {
    this.most = most;
  }

  /** Sets the limit, for new connections. */
  void most(OptionalInt newest) {
    most = newest;
  }

  /** Returns the answer to a connection that is too many. */
  RequestException refusal() {
    return new RequestException(
        RequestException.Kind.TOO_MANY,
        "Too many connections of your address without a token: more than "
            + most.orElse(0)
            + ", the limit (limits.connections-per-address)");
  }

  /** Counts a connection until it presents a token or closes; returns false if it is too many. */
  boolean add(Connection connection) {
    OptionalInt limit = most;
    if (limit.isEmpty() || connection.isAuthenticated()) {
      return true;
    }
    Object network = connection.network();
    int count = counts.merge(network, 1, Integer::sum);
    if (count > limit.getAsInt()) {
      remove(network);
      return false;
    }
    connection.onceKnownOrClosed(() -> remove(network));
    return true;
  }

  private void remove(Object network) {
    counts.computeIfPresent(network, (same, count) -> count == 1 ? null : count - 1);
  }
}
