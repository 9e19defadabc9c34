package io.firn.server;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections that share a limit. At the limit, some of those that wait for their clients are
 * closed, so that new clients can connect however many connections one client holds. Thread-safe.
 */
final class ConnectionLimit {

  /** The part of all connections that is closed at once, because choosing looks at all. */
  private static final int CLOSED_SHARE = 100;

  /** New connections are refused while loops have as many to close, which still take memory. */
  static final int MAX_CLOSING = 1_000;

  /**
   * The connections of a known address that are closed after those of strangers: a client opens a
   * few at once, and each has a moment to present its token.
   */
  static final int MAX_OF_KNOWN = 16;

  /**
   * One that may be closed, as it was at one moment: loops change it while it is compared. It comes
   * before those that are to be closed later.
   *
   * @param ofAddress how many of its kind its address has, with a token or without
   */
  private record Candidate(
      Connection connection, boolean authenticated, boolean known, int ofAddress, long sinceNanos)
      implements Comparable<Candidate> {

    @Override
    public int compareTo(Candidate other) {
      if (authenticated != other.authenticated) {
        return authenticated ? 1 : -1;
      }
      if (known != other.known) {
        return known ? 1 : -1;
      }
      int most = Integer.compare(other.ofAddress, ofAddress);
      return most == 0 ? Long.compare(sinceNanos, other.sinceNanos) : most;
    }
  }

  /** A number of connections, and what sets it. */
  private record Most(int connections, String name) {}

  private volatile Most most;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger closing = new AtomicInteger();

  /** True if a search found none to close, until a connection is checked or fewer are closing. */
  private volatile boolean full;

  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

  ConnectionLimit(int most, String name) {
    this.most = new Most(most, name);
  }

  /** Takes another limit, for new connections. */
  void most(int newest, String name) {
    most = new Most(newest, name);
  }

  /** Returns the answer to a connection that is not accepted. */
  RequestException refusal() {
    Most limit = most;
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        "Too many connections: this server has " + limit.connections() + ", " + limit.name());
  }

  /** Adds a connection; returns false if there is no room, because all others are busy. */
  boolean add(Connection connection) {
    if (count.get() >= most.connections() && (full || !makeRoom())) {
      return false;
    }
    count.incrementAndGet();
    connections.add(connection);
    return true;
  }

  /** Reports that a connection is closed. */
  void remove(Connection connection) {
    if (connections.remove(connection)) {
      count.decrementAndGet();
    } else if (closing.getAndDecrement() == MAX_CLOSING) {
      full = false;
    }
  }

  /** Closes some connections, and returns whether there was one to close. */
  private boolean makeRoom() {
    full = !closeLeft() && (closing.get() >= MAX_CLOSING || !closeWaiting());
    return !full;
  }

  /** Closes connections whose clients have left before a loop had them. */
  private boolean closeLeft() {
    List<Connection> left =
        connections.stream().filter(Connection::hasLeft).limit(MAX_CLOSING).toList();
    left.forEach(Connection::close);
    return !left.isEmpty();
  }

  /**
   * Closes connections that wait for their clients: first those without a token, of these first
   * those of strangers, then those of the address with the most of the kind, then those that wait
   * longest.
   */
  private boolean closeWaiting() {
    Map<Object, Integer> authenticated = new HashMap<>();
    Map<Object, Integer> others = new HashMap<>();
    for (Connection each : connections) {
      (each.isAuthenticated() ? authenticated : others).merge(each.network(), 1, Integer::sum);
    }
    int number = Math.max(1, most.connections() / CLOSED_SHARE);
    PriorityQueue<Candidate> chosen = new PriorityQueue<>(number, Comparator.reverseOrder());
    for (Connection each : connections) {
      if (each.isWaiting()) {
        Candidate candidate = candidate(each, authenticated, others);
        if (chosen.size() < number) {
          chosen.add(candidate);
        } else if (candidate.compareTo(chosen.element()) < 0) {
          chosen.remove();
          chosen.add(candidate);
        }
      }
    }
    chosen.forEach(candidate -> close(candidate.connection()));
    return !chosen.isEmpty();
  }

  private static Candidate candidate(
      Connection connection, Map<Object, Integer> authenticated, Map<Object, Integer> others) {
    boolean hasToken = connection.isAuthenticated();
    int ofAddress = (hasToken ? authenticated : others).getOrDefault(connection.network(), 0);
    return new Candidate(
        connection,
        hasToken,
        connection.isFromKnown() && ofAddress <= MAX_OF_KNOWN,
        ofAddress,
        connection.waitingSinceNanos());
  }

  private void close(Connection connection) {
    if (connections.remove(connection)) {
      count.decrementAndGet();
      closing.incrementAndGet();
      connection.close(Traffic.Closing.ROOM);
    }
  }

  /** Reports that connections were checked, so that some may be found to wait for their clients. */
  void checked() {
    full = false;
  }
}
