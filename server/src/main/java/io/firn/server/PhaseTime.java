package io.firn.server;

import io.firn.server.Connection.Phase;
import io.firn.time.TimeSource;

/**
 * The phase of a connection, and how long its client takes in it. The time in which the client
 * waits for the server is not its own, but one wait counts no longer than a request may take.
 * Written by the connection's event loop; any thread may ask for {@link #clientNanos} and {@link
 * #waitsForServer}.
 */
final class PhaseTime {

  private final TimeSource time;
  private final long maxWaitNanos;
  private Phase phase = Phase.QUIET;
  private long sinceNanos;

  /** The {@link #clientNanos} at which the phase began. */
  private long sinceClientNanos;

  private volatile Waits waits = new Waits(false, 0, 0);

  /** The time of the last wait; 0 if it has not ended. */
  private long lastWaitNanos;

  /**
   * The waits for a turn, or for IDs.
   *
   * @param waits whether the client waits now
   * @param sinceNanos since when, if so
   * @param nanos how long it waited earlier
   */
  private record Waits(boolean waits, long sinceNanos, long nanos) {

    /**
     * Returns how long the client has waited now; 0 if it does not wait.
     *
     * @param mostNanos the most that counts of a wait
     */
    long current(long now, long mostNanos) {
      return waits ? Math.min(now - sinceNanos, mostNanos) : 0;
    }
  }

  /**
   * Begins with {@link Phase#QUIET}.
   *
   * @param maxWaitNanos the most that counts of a wait, in nanoseconds
   */
  PhaseTime(TimeSource time, long maxWaitNanos) {
    this.time = time;
    this.maxWaitNanos = maxWaitNanos;
    enter(Phase.QUIET, time.nanoTime());
  }

  Phase phase() {
    return phase;
  }

  /** Returns since when the phase goes on. */
  long sinceNanos() {
    return sinceNanos;
  }

  void enter(Phase next, long nowNanos) {
    sinceNanos = nowNanos;
    sinceClientNanos = clientNanos(nowNanos);
    phase = next;
  }

  /** Returns a time that stands still while the client waits for the server. */
  long clientNanos() {
    return clientNanos(time.nanoTime());
  }

  private long clientNanos(long nowNanos) {
    Waits now = waits;
    return nowNanos - now.current(nowNanos, maxWaitNanos) - now.nanos();
  }

  /** Returns how long the client has taken: for its request, or without one. */
  long silentNanos(long nowNanos) {
    return phase == Phase.READING
        ? clientNanos(nowNanos) - sinceClientNanos
        : nowNanos - sinceNanos;
  }

  boolean waitsForServer() {
    return waits.waits();
  }

  void waitsForServer(boolean now) {
    Waits before = waits;
    if (now != before.waits()) {
      long nanos = time.nanoTime();
      lastWaitNanos = before.current(nanos, maxWaitNanos);
      waits = new Waits(now, nanos, before.nanos() + lastWaitNanos);
    }
  }

  /** Counts the last wait as time of the client. */
  void countLastWait() {
    Waits now = waits;
    waits = new Waits(now.waits(), now.sinceNanos(), now.nanos() - lastWaitNanos);
    lastWaitNanos = 0;
  }
}
