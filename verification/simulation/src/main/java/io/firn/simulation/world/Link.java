package io.firn.simulation.world;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A process's way to a coordinator, whatever that is: calls take time, are lost, come late, or
 * reach no coordinator.
 */
public final class Link {

  /** A call takes little against a window: it is two ways of at most this part of it. */
  private static final long WAYS_PER_WINDOW = 1_000;

  private static final int PER_MILLE = 40;
  private static final int HANG_PER_MILLE = 10;

  private final Cluster cluster;
  private final Incarnation process;
  private final long timeoutNanos;
  private final Numbers random;

  public Link(Cluster cluster, Incarnation process) {
    this.cluster = cluster;
    this.process = process;
    timeoutNanos = cluster.settings().terms().windowNanos() / 20;
    random = process.numbers();
  }

  /** Makes a call that changes nothing; null if no answer comes. */
  <T> @Nullable T ask(Supplier<T> request) {
    travel();
    if (isCut() || odds().strikes(Fault.LOST_REQUEST, PER_MILLE)) {
      giveUp();
      return null;
    }
    T answer = request.get();
    travel();
    return isAnswerLost() ? null : answer;
  }

  /**
   * Makes a call that changes something; null if no answer comes, and then it may have been done,
   * and may still be done later.
   */
  public <T> @Nullable T change(Supplier<T> request) {
    travel();
    if (isCut() || odds().strikes(Fault.LOST_REQUEST, PER_MILLE)) {
      giveUp();
      return null;
    }
    if (odds().strikes(Fault.LATE_WRITE, PER_MILLE)) {
      long late = odds().of(Fault.LATE_WRITE).below(3 * windowNanos());
      process.log("has a write on its way for", late / World.NANOS_PER_MILLI, "ms");
      cluster
          .world()
          .after(late, () -> process.log("had a late write, done:", request.get() != null));
      giveUp();
      return null;
    }
    T answer = request.get();
    travel();
    return isAnswerLost() ? null : answer;
  }

  /** Makes a caller give up on a request that was executed. */
  void loseAnswer(Runnable request) {
    travel();
    request.run();
    giveUp();
  }

  /** Returns whether a call made now does not reach the store, and its caller knows that. */
  boolean isRefused() {
    return isCut() && random.perMille(500);
  }

  private boolean isCut() {
    return process.node().isCut() || cluster.isDown();
  }

  /**
   * Takes time, except after the faults: a call cannot go on before those return that begin while
   * it waits, so that a few would starve for the others.
   */
  private void travel() {
    if (odds().isRepaired()) {
      return;
    }
    long nanos = 1 + random.below(windowNanos() / WAYS_PER_WINDOW);
    if (odds().strikes(Fault.DELAY, PER_MILLE)) {
      nanos += odds().of(Fault.DELAY).below(3 * windowNanos() / 2);
      process.log("waits for the store for", nanos / World.NANOS_PER_MILLI, "ms");
    }
    if (odds().strikes(Fault.HANG, HANG_PER_MILLE)) {
      nanos += odds().of(Fault.HANG).below(6 * windowNanos());
      process.log("waits for a store that hangs for", nanos / World.NANOS_PER_MILLI, "ms");
    }
    process.pass(nanos);
  }

  private boolean isAnswerLost() {
    boolean lost = isCut() || odds().strikes(Fault.LOST_REPLY, PER_MILLE);
    if (lost) {
      giveUp();
    }
    return lost;
  }

  private void giveUp() {
    process.pass(timeoutNanos);
    process.log("hears nothing from the store");
  }

  private long windowNanos() {
    return cluster.settings().terms().windowNanos();
  }

  private Odds odds() {
    return cluster.odds();
  }
}
