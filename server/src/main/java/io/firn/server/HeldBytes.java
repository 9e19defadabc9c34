package io.firn.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a server holds for its clients: parts of requests, and answers that are not sent
 * yet. When all connections together hold more than the budget, some are closed, those without a
 * token before all others. The one with the longest time without progress is closed first. The time
 * in which it waited for the server does not count, and time counts more for an address that holds
 * more: most attackers hold what they hold for long, or have few addresses. Connections that hold
 * less than half of the mean stay open, because they free too little. Requests that wait for their
 * turns are counted apart, and have half as much.
 *
 * <p>Before that, less is read of each connection, and the rest of a long request waits for room.
 * So most of what does not fit stays in the kernel, and few connections are closed. Thread-safe.
 */
final class HeldBytes {

  /** A change by this part of what a connection holds, or has still to send, is progress. */
  private static final long PROGRESS_SHARE = 16;

  /** So is a change by this number of bytes. */
  static final long PROGRESS_BYTES = 1 << 10;

  /** The part of the budget up to which addresses are alike. */
  private static final long ADDRESS_SHARE = 64;

  /**
   * The part of the budget that is freed beyond what is too much. All connections are looked at, so
   * that this is not done for each one that is closed.
   */
  private static final long SPARE_SHARE = 32;

  /** The part of the budget that the rest of long requests leaves to starts of requests. */
  private static final long STARTS_SHARE = 8;

  /** The time without progress after which a connection is closed for a request that waits. */
  private static final long MAX_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The time before those that wait look again for connections without progress. */
  private static final long LOOK_NANOS = MAX_IDLE_NANOS / 4;

  /** A shorter time without progress counts as this one. */
  private static final long MIN_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The client of some connections, as far as the server knows. */
  private record Client(boolean authenticated, Object network) {

    static Client of(Connection connection) {
      return new Client(connection.isAuthenticated(), connection.network());
    }
  }

  /** The bytes that all connections of a client hold together. Guarded by the lock. */
  private static final class Sum {

    final Client client;
    long bytes;

    Sum(Client client) {
      this.client = client;
    }
  }

  /** The connections of all clients with a token, or without one. Guarded by the lock. */
  private static final class Group {

    final Set<Held> all = new HashSet<>();
    long bytes;

    /** The time of the last search that found no connection without progress. */
    OptionalLong lookedNanos = OptionalLong.empty();
  }

  /** The bytes that a connection holds. Guarded by the lock. */
  private static final class Held {

    final Connection connection;
    final Sum sum;
    long bytes;
    long progressBytes;
    long progressNanos;

    Held(Connection connection, Sum sum) {
      this.connection = connection;
      this.sum = sum;
    }

    boolean isAuthenticated() {
      return sum.client.authenticated();
    }

    void set(long now) {
      bytes = now;
      if (isProgress(now)) {
        progressBytes = now - connection.sentBytes();
        progressNanos = connection.clientNanos();
      }
    }

    /** Returns whether it has made progress if it holds so much now. */
    boolean isProgress(long now) {
      long change = Math.abs(now - connection.sentBytes() - progressBytes);
      return change > 0 && change >= Math.min(progressBytes / PROGRESS_SHARE, PROGRESS_BYTES);
    }

    /**
     * Returns how long it has made no progress, but for the time in which it waited for the server.
     */
    long idleNanos() {
      return Math.max(MIN_IDLE_NANOS, connection.clientNanos() - progressNanos);
    }
  }

  /**
   * One that may be closed.
   *
   * @param cost {@link Held#idleNanos()}, times what its address holds
   */
  private record Candidate(Held held, double cost) {

    static final Comparator<Candidate> LAST_FIRST =
        Comparator.comparingDouble(Candidate::cost).thenComparing(each -> each.held().bytes);
  }

  /** The most bytes that a loop reads at once. */
  static final int MAX_READING_BYTES = 64 << 10;

  /**
   * The bytes of a reading that takes a short request whole: ten thousand leave room for others.
   */
  static final int SHORT_READING_BYTES = 1 << 10;

  /** The bytes of a reading that shows that there is something to read. */
  private static final int MIN_READING_BYTES = 1 << 7;

  private final long budget;

  /** The bytes that clients may hold before less is read of each. */
  private final long half;

  /** The bytes that they may hold before the least is read. */
  private final long mostForShortReadings;

  /** The bytes that they may hold with the rest of a long request. */
  private final long mostForLongRequests;

  /** The bytes that they may hold before no more starts of requests are read. */
  private final long mostForStarts;

  /** The bytes that are freed beyond those that are too many. */
  private final long spare;

  private final AuditLog audit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Connection, Held> held = new HashMap<>();
  private final Map<Client, Sum> sums = new HashMap<>();
  private final Group known = new Group();
  private final Group strangers = new Group();

  /** True while clients hold more than half of the budget. */
  private volatile boolean crowded;

  /** The bytes of requests that wait for their turns. */
  private final AtomicLong waiting = new AtomicLong();

  HeldBytes(long budget, AuditLog audit) {
    this.budget = budget;
    half = budget / 2;
    mostForShortReadings = budget / 4 * 3;
    mostForLongRequests = budget - budget / STARTS_SHARE;
    mostForStarts = budget - budget / STARTS_SHARE / 2;
    spare = budget / SPARE_SHARE;
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
    closing(
        ended -> {
          set(connection, bytes);
          while (total() > budget) {
            reduce(ended);
          }
          return true;
        });
  }

  /**
   * Takes a step under the lock, and closes without it the connections that the step collects:
   * hundreds take milliseconds, and a log may take longer.
   */
  private boolean closing(Predicate<List<Connection>> step) {
    List<Connection> ended = new ArrayList<>();
    lock.lock();
    try {
      return step.test(ended);
    } finally {
      lock.unlock();
      for (Connection connection : ended) {
        connection.close(Traffic.Closing.MEMORY);
        audit.closedForMemory(connection.address(), budget);
      }
    }
  }

  /**
   * Adds bytes of a request that waits for its turn, unless they would take all waiting ones above
   * half of the budget: it is better taken at once then.
   *
   * @return whether they were added
   */
  boolean addWaiting(long bytes) {
    if (waiting.addAndGet(bytes) <= half) {
      return true;
    }
    removeWaiting(bytes);
    return false;
  }

  /**
   * Returns the most bytes that may be read from a connection at once. When half of the budget is
   * used, this is the start of a request, and less if the address of the client holds more than an
   * equal share of that half. The rest stays in the kernel until the connection has its turn. The
   * bytes of clients without a token do not count against one that has presented its token.
   */
  int mostToRead(Connection connection) {
    boolean roomForTurns = waiting.get() <= half - MAX_READING_BYTES;
    if (roomForTurns && !crowded) {
      return MAX_READING_BYTES;
    }
    lock.lock();
    try {
      Client client = Client.of(connection);
      long competing = competing(client.authenticated());
      if (roomForTurns && competing <= half) {
        return MAX_READING_BYTES;
      }
      Sum sum = sums.get(client);
      boolean hasItsShare = sum != null && sum.bytes > half / sums.size();
      return hasItsShare || competing > mostForShortReadings
          ? MIN_READING_BYTES
          : SHORT_READING_BYTES;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the start of a request may be read when {@link #mostToRead} was too little to
   * see whether it is short. All addresses are alike: one may be that of a proxy, with clients that
   * have yet to present their tokens.
   */
  boolean mayBegin(Connection connection) {
    lock.lock();
    try {
      return competing(connection.isAuthenticated()) <= mostForStarts;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a turn to read the rest of a long request, which is due when there is room for it.
   *
   * @param reading reads it
   */
  LaterTurns.Turn turn(Connection connection, Runnable reading) {
    return new LaterTurns.Turn() {
      @Override
      public boolean isDue() {
        return connection.isEnded() || makeRoom(connection);
      }

      @Override
      public void take() {
        if (!connection.isEnded()) { // its loop closes it later
          takeRoom(connection);
        }
        reading.run();
      }
    };
  }

  /**
   * Returns whether there is room for the rest of a request that waits. If there is not, closes
   * connections that have made no progress for a quarter of a second. All connections are looked at
   * for that, so that it is not done for each one that waits.
   */
  private boolean makeRoom(Connection connection) {
    return closing(
        ended -> {
          long missing = missingRoom(connection) + spare;
          if (missing <= 0) {
            return true;
          }
          Group group = group(connection.isAuthenticated());
          long now = connection.nanoTime();
          if (group.lookedNanos.isPresent() && now - group.lookedNanos.getAsLong() < LOOK_NANOS) {
            return false;
          }
          remove(first(group.all, group.bytes, connection, missing + spare, MAX_IDLE_NANOS), ended);
          boolean found = missingRoom(connection) + spare <= 0;
          group.lookedNanos = found ? OptionalLong.empty() : OptionalLong.of(now);
          return found;
        });
  }

  /**
   * Closes connections until there is room for the rest of a request that cannot wait longer, if
   * they hold enough.
   */
  private void takeRoom(Connection connection) {
    closing(
        ended -> {
          long missing = missingRoom(connection);
          Group group = group(connection.isAuthenticated());
          if (missing > 0 && missing <= group.bytes) {
            remove(first(group.all, group.bytes, connection, missing + spare, 0), ended);
          }
          return true;
        });
  }

  /** Returns the bytes that are missing for a part of the rest of a long request. */
  private long missingRoom(Connection connection) {
    return MAX_READING_BYTES + competing(connection.isAuthenticated()) - mostForLongRequests;
  }

  private Group group(boolean authenticated) {
    return authenticated ? known : strangers;
  }

  private long total() {
    return known.bytes + strangers.bytes;
  }

  /** Returns the bytes that count against a client. */
  private long competing(boolean authenticated) {
    return authenticated ? known.bytes : total();
  }

  /** Removes bytes that were added. */
  void removeWaiting(long bytes) {
    waiting.addAndGet(-bytes);
  }

  private void set(Connection connection, long bytes) {
    Held one = held.get(connection);
    if (one != null && (bytes == 0 || one.isAuthenticated() != connection.isAuthenticated())) {
      held.remove(connection);
      group(one.isAuthenticated()).all.remove(one);
      add(one, -one.bytes);
      one = null;
    }
    if (bytes > 0) {
      if (one == null) {
        one = new Held(connection, sums.computeIfAbsent(Client.of(connection), Sum::new));
        held.put(connection, one);
        group(one.isAuthenticated()).all.add(one);
      }
      add(one, bytes - one.bytes);
      one.set(bytes);
    }
  }

  private void add(Held one, long more) {
    group(one.isAuthenticated()).bytes += more;
    crowded = total() > half;
    one.sum.bytes += more;
    if (one.sum.bytes == 0) {
      sums.remove(one.sum.client);
    }
  }

  /** Removes connections until there is room: of those without a token if they hold enough. */
  private void reduce(List<Connection> ended) {
    long bytes = total() - budget + spare;
    remove(
        strangers.bytes >= bytes
            ? first(strangers.all, strangers.bytes, null, bytes, 0)
            : first(held.values(), total(), null, bytes, 0),
        ended);
  }

  /**
   * Removes connections that are to be closed, unless they hold less, have made progress, or are
   * authenticated by now.
   */
  private void remove(List<Held> all, List<Connection> ended) {
    for (Held one : all) {
      Connection connection = one.connection;
      long now = connection.heldBytes();
      if (now < one.bytes
          || one.isProgress(now)
          || connection.isAuthenticated() != one.isAuthenticated()) {
        set(connection, now);
      } else {
        set(connection, 0);
        ended.add(connection);
      }
    }
  }

  /**
   * Returns the connections to close first, until they hold so much together.
   *
   * @param connections some or all
   * @param held what they hold together
   * @param spared the connection that needs the room, which is not returned; null for none
   * @param bytes what is to be freed
   * @param leastIdleNanos the least {@link Held#idleNanos()}
   */
  private List<Held> first(
      Collection<Held> connections,
      long held,
      @Nullable Connection spared,
      long bytes,
      long leastIdleNanos) {
    long least = connections.isEmpty() ? 0 : held / connections.size() / 2;
    PriorityQueue<Candidate> first = new PriorityQueue<>(Candidate.LAST_FIRST);
    long sum = 0;
    for (Held one : connections) {
      if (one.connection != spared && one.bytes >= least && one.idleNanos() >= leastIdleNanos) {
        first.add(new Candidate(one, cost(one)));
        sum += one.bytes;
        while (sum - first.element().held().bytes >= bytes) {
          sum -= first.remove().held().bytes;
        }
      }
    }
    return first.stream().map(Candidate::held).toList();
  }

  private double cost(Held one) {
    return (double) one.idleNanos() * Math.max(one.sum.bytes, budget / ADDRESS_SHARE);
  }
}
