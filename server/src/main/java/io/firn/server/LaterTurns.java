package io.firn.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The queued turns of the connections of an event loop. The loop serves the clients in rotation,
 * one turn each, and the turns of one client in the order in which they were added: a client that
 * opens a thousand connections delays its own requests. After 200 microseconds of turns of a kind,
 * the loop reads from its connections, so that a thousand long pipelines delay a short request by
 * little. Turns are no tasks of the loop, because a loop runs all its tasks before it reads. Each
 * loop has its own object, which only its thread uses.
 */
final class LaterTurns {

  private static final long MAX_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /** The time after which the loop checks again a turn that is not due. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The time in which each client has a turn, due or not, if the turns leave time for that. */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The longest delay that the pace makes up for: a loop that was blocked does not take all missed
   * turns at once.
   */
  private static final long MAX_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The work of turns. Those of one kind do not wait for those of another. */
  enum Kind {
    /** Handles an event of a stranger's connection, such as bytes that have arrived. */
    EVENT,
    /** Takes the rest of a long pipeline. */
    PIPELINE,
    /** Takes a long request, or computes a part of a handshake. */
    LONG_STEP,
    /** Reads the rest of a long request, as soon as there is room for it. */
    READING,
    /** Reads what comes after the last answer. No request waits for that. */
    ANSWERED,
    /** Takes a new connection. */
    NEW_CONNECTION,
    /**
     * Checks connections. Behind the turns of thousands, that would take longer than the limits.
     */
    CHECK
  }

  private static final FastThreadLocal<Map<Kind, LaterTurns>> OF_KNOWN = ofEachLoop();
  private static final FastThreadLocal<Map<Kind, LaterTurns>> OF_STRANGERS = ofEachLoop();

  /** Something that a loop does later. */
  interface Turn {

    /**
     * Returns whether it is better done now than later. Turns that are not due are paced: each
     * client has one within a second.
     */
    default boolean isDue() {
      return true;
    }

    /** Does it. */
    void take();
  }

  /** The turns of each client that has some. The first one is next. */
  private final Map<Object, Set<Turn>> turns = new LinkedHashMap<>();

  private boolean scheduled;

  /** The time at which the next turn is taken, due or not. */
  private long latestNanos;

  private LaterTurns() {}

  private static FastThreadLocal<Map<Kind, LaterTurns>> ofEachLoop() {
    return new FastThreadLocal<>() {
      @Override
      protected Map<Kind, LaterTurns> initialValue() {
        return new EnumMap<>(Kind.class);
      }
    };
  }

  /**
   * Returns the turns of a kind in the current event loop.
   *
   * @param known whether the client {@linkplain Connection#isKnown() is no stranger}: these do not
   *     wait for the others
   */
  static LaterTurns of(Kind kind, boolean known) {
    return (known ? OF_KNOWN : OF_STRANGERS).get().computeIfAbsent(kind, first -> new LaterTurns());
  }

  /** Returns whether no turn is left. */
  boolean isEmpty() {
    return turns.isEmpty();
  }

  /**
   * Adds a turn, unless the client has it already.
   *
   * @param loop the current event loop
   * @param nanoTime its clock
   * @param client whose turn it is, such as the address of a client
   */
  void add(EventLoop loop, LongSupplier nanoTime, Object client, Turn turn) {
    if (isEmpty()) {
      latestNanos = nanoTime.getAsLong() + MAX_WAIT_NANOS;
    }
    turns.computeIfAbsent(client, first -> new LinkedHashSet<>(1)).add(turn);
    if (!scheduled) {
      schedule(loop, nanoTime, 0);
    }
  }

  /** Removes a turn that is no longer needed, if it is still queued. */
  void remove(Object client, Turn turn) {
    Set<Turn> ofClient = turns.get(client);
    if (ofClient != null && ofClient.remove(turn) && ofClient.isEmpty()) {
      turns.remove(client);
    }
  }

  /** Takes all turns that are left, at once. */
  void runAll() {
    while (!isEmpty()) {
      removeFirst().take();
    }
  }

  private Turn first() {
    return turns.values().iterator().next().iterator().next();
  }

  /** Removes and returns the first turn, and moves its client to the end. */
  private Turn removeFirst() {
    var clients = turns.entrySet().iterator();
    var first = clients.next();
    clients.remove();
    var ofClient = first.getValue().iterator();
    Turn turn = ofClient.next();
    ofClient.remove();
    if (!first.getValue().isEmpty()) {
      turns.put(first.getKey(), first.getValue());
    }
    return turn;
  }

  /** Schedules a round. A loop takes a scheduled task, even one that is due, after its reading. */
  private void schedule(EventLoop loop, LongSupplier nanoTime, long delayNanos) {
    scheduled = true;
    loop.schedule(() -> run(loop, nanoTime), delayNanos, TimeUnit.NANOSECONDS);
  }

  /** Takes one turn at least, if the first one is due. */
  private void run(EventLoop loop, LongSupplier nanoTime) {
    long begin = nanoTime.getAsLong();
    long now = begin;
    boolean due = true;
    try {
      while (due && !isEmpty() && now - begin < MAX_NANOS) {
        due = isFirstDue(now);
        if (due) {
          removeFirst().take();
        }
        now = nanoTime.getAsLong();
      }
    } finally {
      scheduled = false;
      if (!isEmpty()) {
        schedule(loop, nanoTime, due ? 0 : Math.min(RETRY_NANOS, latestNanos - now));
      }
    }
  }

  private boolean isFirstDue(long nowNanos) {
    long eachNanos = MAX_WAIT_NANOS / turns.size();
    if (nowNanos - latestNanos >= 0) {
      latestNanos = Math.max(latestNanos, nowNanos - MAX_LATE_NANOS) + eachNanos;
      return true;
    }
    boolean due = first().isDue();
    latestNanos = due ? nowNanos + eachNanos : Math.min(latestNanos, nowNanos + eachNanos);
    return due;
  }
}
