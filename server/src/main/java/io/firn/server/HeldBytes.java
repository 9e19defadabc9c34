package io.firn.server;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a server holds for its clients: parts of requests, and answers that are not sent
 * yet. When all connections together hold more than the budget, some are closed, those without a
 * token before all others. Of these, the largest one of the address that holds most comes first. If
 * many addresses hold a little, one that has made no progress for a while comes before: it is no
 * client that sends a long request. Requests that wait for their turns are counted apart, and have
 * half as much. Thread-safe.
 */
final class HeldBytes {

  /** A client that goes on with its request, or reads its answers, makes progress within it. */
  private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * What a connection holds at least that is closed for doing nothing. As many as there may be hold
   * less than the budget together if each holds less.
   */
  private static final long MIN_SILENT_BYTES = 1 << 10;

  /** The part of what a connection holds by which that grows at least with some progress. */
  private static final long PROGRESS_SHARE = 16;

  /** The part of the budget that is a lot for an address. */
  private static final long LARGE_SHARE = 64;

  /**
   * What a connection holds.
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

    static final Comparator<Sum> MOST_FIRST =
        Comparator.comparing((Sum each) -> each.bytes, Comparator.reverseOrder())
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

  /**
   * A time at which a connection held clearly more than at the time before, or less.
   *
   * @param bytes what it held then
   */
  private record Progress(long bytes, long nanos) {}

  /** The clients that have presented a token, or those that have not. */
  private static final class Clients {

    final NavigableSet<Sum> order = new TreeSet<>(Sum.MOST_FIRST);

    /** The newest progress of each larger connection, the oldest one first. */
    final Map<Connection, Progress> progress = new LinkedHashMap<>();
  }

  /** The most bytes that a loop reads at once. */
  private static final long MAX_READING_BYTES = 64 << 10;

  private final long budget;
  private final AuditLog audit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Connection, Entry> held = new HashMap<>();
  private final Map<Client, Sum> sums = new HashMap<>();
  private final Clients strangers = new Clients();
  private final Clients known = new Clients();
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
    Entry before = held.get(connection);
    Client client = Client.of(connection);
    if (before != null) {
      if (before.bytes() == bytes && before.client().equals(client)) {
        return;
      }
      leave(before);
      if (bytes < MIN_SILENT_BYTES || !before.client().equals(client)) {
        clients(before.client()).progress.remove(connection);
      }
    }
    if (bytes > 0) {
      enter(new Entry(connection, client, bytes, recorded++));
    }
    if (bytes >= MIN_SILENT_BYTES) {
      watch(clients(client).progress, connection, bytes);
    }
  }

  private static void watch(Map<Connection, Progress> progress, Connection connection, long bytes) {
    Progress last = progress.get(connection);
    if (last == null
        || bytes < last.bytes()
        || bytes - last.bytes() >= last.bytes() / PROGRESS_SHARE) {
      progress.remove(connection);
      progress.put(connection, new Progress(bytes, connection.nanoTime()));
    }
  }

  private void enter(Entry entry) {
    held.put(entry.connection(), entry);
    Sum sum = leaveOrder(entry.client());
    sum.entries.add(entry);
    enterOrder(sum, entry.bytes());
  }

  private void leave(Entry entry) {
    held.remove(entry.connection());
    Sum sum = leaveOrder(entry.client());
    sum.entries.remove(entry);
    enterOrder(sum, -entry.bytes());
  }

  private Clients clients(Client client) {
    return client.authenticated() ? known : strangers;
  }

  /** The place of a sum is found by its bytes, so that they do not change in the order. */
  private Sum leaveOrder(Client client) {
    Sum sum = sums.computeIfAbsent(client, first -> new Sum(first, recorded));
    clients(client).order.remove(sum);
    return sum;
  }

  private void enterOrder(Sum sum, long more) {
    sum.bytes += more;
    total += more;
    if (sum.entries.isEmpty()) {
      sums.remove(sum.client);
    } else {
      clients(sum.client).order.add(sum);
    }
  }

  /** Closes the connection that comes first, unless it holds less or is authenticated by now. */
  private void reduceFirst() {
    Entry first = first(strangers.order.isEmpty() ? known : strangers);
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

  private Entry first(Clients clients) {
    Sum most = clients.order.first();
    Connection silent = most.bytes > budget / LARGE_SHARE ? null : silent(clients);
    return silent == null ? most.entries.first() : Objects.requireNonNull(held.get(silent));
  }

  /**
   * Returns one that made no progress for a while, though it does not wait for its turn. It holds
   * half of the mean at least: a client that pauses in a short request is not closed for others.
   */
  private @Nullable Connection silent(Clients clients) {
    Map<Connection, Progress> progress = clients.progress;
    long least = total / (2L * held.size());
    while (!progress.isEmpty()) {
      var oldest = progress.entrySet().iterator().next();
      Connection connection = oldest.getKey();
      long now = connection.nanoTime();
      if (now - oldest.getValue().nanos() <= SILENT_NANOS) {
        return null;
      }
      long bytes = oldest.getValue().bytes();
      if (bytes >= least && !connection.waitsForTurn()) {
        return connection;
      }
      progress.remove(connection);
      progress.put(connection, new Progress(bytes, now));
    }
    return null;
  }
}
