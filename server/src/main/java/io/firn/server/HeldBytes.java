package io.firn.server;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bytes that a server holds for its clients: parts of requests, and answers that are not sent
 * yet. When all connections together hold more than the budget, some are closed: those without a
 * token before all others, of these the ones of the address that holds most, and of these the ones
 * that hold most. Requests that wait for their turns are counted apart, and have half as much.
 * Thread-safe.
 */
final class HeldBytes {

  /**
   * What a connection held when it was recorded.
   *
   * @param number tells connections apart that hold as much
   */
  private record Entry(Connection connection, Client client, long bytes, long number) {

    static final Comparator<Entry> MOST_FIRST =
        Comparator.comparing(Entry::bytes, Comparator.reverseOrder()).thenComparing(Entry::number);
  }

  /** Whose connections they are, as far as the server knows. */
  private record Client(boolean authenticated, Object network) {

    static Client of(Connection connection) {
      return new Client(connection.isAuthenticated(), connection.network());
    }
  }

  /** What the connections of a client hold. */
  private static final class Sum {

    static final Comparator<Sum> CLOSED_FIRST =
        Comparator.comparing((Sum each) -> each.client.authenticated())
            .thenComparing(each -> each.bytes, Comparator.reverseOrder())
            .thenComparing(each -> each.number);

    final Client client;
    final long number;
    final NavigableSet<Entry> entries = new TreeSet<>(Entry.MOST_FIRST);
    long bytes;

    Sum(Client client, long number) {
      this.client = client;
      this.number = number;
    }
  }

  /** The most bytes that a loop reads at once. */
  private static final long MAX_READING_BYTES = 64 << 10;

  private final long budget;
  private final AuditLog audit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Connection, Entry> held = new HashMap<>();
  private final Map<Client, Sum> sums = new HashMap<>();
  private final NavigableSet<Sum> order = new TreeSet<>(Sum.CLOSED_FIRST);
  private long total;
  private long recorded;

  /** The bytes of requests that wait for their turns. */
  private final AtomicLong waiting = new AtomicLong();

  HeldBytes(long budget, AuditLog audit) {
    this.budget = budget;
    this.audit = audit;
  }

  /**
   * Returns a budget that fits the process: an eighth of the heap, and so of the memory beside it,
   * which the JVM limits to the size of the heap.
   */
  static HeldBytes ofProcess(AuditLog audit) {
    return new HeldBytes(Runtime.getRuntime().maxMemory() / 8, audit);
  }

  /** Records what a connection holds now. */
  void record(Connection connection, long bytes) {
    lock.lock();
    try {
      set(connection, bytes);
      while (total > budget) {
        reduceFirst();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds bytes of a request that waits for its turn, unless they would take all waiting ones above
   * half of the budget: it is better taken at once then.
   *
   * @return whether they were added
   */
  boolean addWaiting(long bytes) {
    if (waiting.addAndGet(bytes) <= budget / 2) {
      return true;
    }
    removeWaiting(bytes);
    return false;
  }

  /**
   * Returns whether another long request may be too much, so that no more is read than the begin of
   * one.
   */
  boolean isCrowded() {
    return waiting.get() > budget / 2 - MAX_READING_BYTES;
  }

  /** Removes bytes that were added. */
  void removeWaiting(long bytes) {
    waiting.addAndGet(-bytes);
  }

  private void set(Connection connection, long bytes) {
    Entry before = held.remove(connection);
    if (before != null) {
      Sum sum = leaveOrder(before.client());
      sum.entries.remove(before);
      enterOrder(sum, -before.bytes());
    }
    if (bytes > 0) {
      Entry now = new Entry(connection, Client.of(connection), bytes, recorded++);
      held.put(connection, now);
      Sum sum = leaveOrder(now.client());
      sum.entries.add(now);
      enterOrder(sum, bytes);
    }
  }

  /** The place of a sum is found by its bytes, so that they do not change in the order. */
  private Sum leaveOrder(Client client) {
    Sum sum = sums.computeIfAbsent(client, first -> new Sum(first, recorded));
    order.remove(sum);
    return sum;
  }

  private void enterOrder(Sum sum, long more) {
    sum.bytes += more;
    total += more;
    if (sum.entries.isEmpty()) {
      sums.remove(sum.client);
    } else {
      order.add(sum);
    }
  }

  /** Closes the connection that comes first, unless it holds less or is authenticated by now. */
  private void reduceFirst() {
    Entry first = order.first().entries.first();
    Connection connection = first.connection();
    long now = connection.heldBytes();
    if (now < first.bytes() || connection.isAuthenticated() != first.client().authenticated()) {
      set(connection, now);
    } else {
      set(connection, 0);
      connection.close(Traffic.Closing.MEMORY);
      audit.closedForMemory(connection.address(), budget);
    }
  }
}
