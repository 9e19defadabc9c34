package io.firn.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The turns that connections of an event loop have left. Clients are served one after the other, a
 * turn each, and the turns of one client in the order in which they were added: a client that opens
 * a thousand connections delays its own. After about a millisecond of turns, the loop reads what
 * came meanwhile, so that a thousand long pipelines delay a short request by little. Of its own
 * tasks, a loop would run all before it reads. Each loop has an object of its own, which only its
 * thread uses.
 */
final class LaterTurns {

  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The time after which a turn that is not due is looked at again. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The time in which each client has a turn, due or not, if the turns leave time for that. */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The most that the pace catches up on: a loop that stood still does not take all turns since.
   */
  private static final long MAX_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final FastThreadLocal<LaterTurns> OF_PIPELINES = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_PIPELINES_OF_KNOWN = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_LONG_STEPS = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_LONG_STEPS_OF_KNOWN = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_READINGS = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_READINGS_OF_KNOWN = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_ANSWERED = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_NEW_CONNECTIONS = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_CHECKS = ofEachLoop();

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

  private static FastThreadLocal<LaterTurns> ofEachLoop() {
    return new FastThreadLocal<>() {
      @Override
      protected LaterTurns initialValue() {
        return new LaterTurns();
      }
    };
  }

  /**
   * Returns the turns in which the loop that runs the caller takes the rest of long pipelines.
   *
   * @param authenticated whether the client needs no token, or has presented one: these do not wait
   *     for the others
   */
  static LaterTurns ofPipelines(boolean authenticated) {
    return authenticated ? OF_PIPELINES_OF_KNOWN.get() : OF_PIPELINES.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller takes long requests and the
   * computations of handshakes. They do not wait for the rest of long pipelines.
   *
   * @param authenticated as above
   */
  static LaterTurns ofLongSteps(boolean authenticated) {
    return authenticated ? OF_LONG_STEPS_OF_KNOWN.get() : OF_LONG_STEPS.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller reads the rest of long requests, as
   * soon as there is room for it.
   *
   * @param authenticated as above
   */
  static LaterTurns ofReadings(boolean authenticated) {
    return authenticated ? OF_READINGS_OF_KNOWN.get() : OF_READINGS.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller reads what comes after the last
   * answer. No request waits for them.
   */
  static LaterTurns ofAnswered() {
    return OF_ANSWERED.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller takes new connections. They do not
   * wait for the turns of those that it has.
   */
  static LaterTurns ofNewConnections() {
    return OF_NEW_CONNECTIONS.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller checks its connections. They do not
   * wait for those of clients: with thousands of these, a check would take longer than the limits.
   */
  static LaterTurns ofChecks() {
    return OF_CHECKS.get();
  }

  /** Returns whether no turn is left. */
  boolean isEmpty() {
    return turns.isEmpty();
  }

  /**
   * Adds a turn, unless the client has it already.
   *
   * @param loop the loop that runs the caller
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

  /** Removes a turn that nobody waits for any longer, if it is left. */
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
