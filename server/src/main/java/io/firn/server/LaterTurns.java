package io.firn.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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

  /** The readings that a round lets the loop do, at most. */
  private static final int MAX_READINGS = 8;

  private static final FastThreadLocal<LaterTurns> OF_LOOP = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_LONG_STEPS = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_KNOWN_CLIENTS = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_ANSWERED = ofEachLoop();
  private static final FastThreadLocal<LaterTurns> OF_NEW_CONNECTIONS = ofEachLoop();

  /** The turns of each client that has some. The first one is next. */
  private final Map<Object, Deque<Runnable>> turns = new LinkedHashMap<>();

  private boolean scheduled;
  private int readings;

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
   * Returns the turns in which the loop that runs the caller takes the rest of long pipelines, and
   * checks its connections.
   */
  static LaterTurns ofLoop() {
    return OF_LOOP.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller takes long requests and the
   * computations of handshakes. They do not wait for the rest of long pipelines.
   *
   * @param authenticated whether the client needs no token, or has presented one: these do not wait
   *     for the others
   */
  static LaterTurns ofLongSteps(boolean authenticated) {
    return authenticated ? OF_KNOWN_CLIENTS.get() : OF_LONG_STEPS.get();
  }

  /**
   * Returns the turns in which the loop that runs the caller reads what comes after the last
   * answer, one in each round. No request waits for them.
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

  /** Returns whether no turn is left. */
  boolean isEmpty() {
    return turns.isEmpty();
  }

  /**
   * Adds a turn.
   *
   * @param loop the loop that runs the caller
   * @param nanoTime its clock
   * @param client whose turn it is, such as the address of a client
   */
  void add(EventLoop loop, LongSupplier nanoTime, Object client, Runnable turn) {
    turns.computeIfAbsent(client, first -> new ArrayDeque<>(1)).add(turn);
    if (!scheduled) {
      schedule(loop, nanoTime);
    }
  }

  /** Takes all turns that are left, at once. */
  void runAll() {
    for (Runnable turn = next(); turn != null; turn = next()) {
      turn.run();
    }
  }

  /** Removes and returns the next turn, and moves its client to the end. */
  private @Nullable Runnable next() {
    var clients = turns.entrySet().iterator();
    if (!clients.hasNext()) {
      return null;
    }
    var first = clients.next();
    clients.remove();
    Runnable turn = first.getValue().remove();
    if (!first.getValue().isEmpty()) {
      turns.put(first.getKey(), first.getValue());
    }
    return turn;
  }

  /** Schedules a round. A loop takes a scheduled task, even one that is due, after its reading. */
  private void schedule(EventLoop loop, LongSupplier nanoTime) {
    scheduled = true;
    loop.schedule(() -> run(loop, nanoTime), 0, TimeUnit.NANOSECONDS);
  }

  /** Reports that the turn that calls it lets the loop read, as it does after a few of these. */
  void countReading() {
    readings++;
  }

  /** Takes one turn at least. */
  private void run(EventLoop loop, LongSupplier nanoTime) {
    long begin = nanoTime.getAsLong();
    readings = 0;
    try {
      for (Runnable turn = next(); turn != null; turn = next()) {
        turn.run();
        if (readings >= MAX_READINGS || nanoTime.getAsLong() - begin >= MAX_NANOS) {
          break;
        }
      }
    } finally {
      scheduled = false;
      if (!turns.isEmpty()) {
        schedule(loop, nanoTime);
      }
    }
  }
}
