package io.firn.simulation.world;

import io.firn.time.TimeSource;

/** Clocks, parking and randomness of one process; the place where its threads lose time. */
final class ProcessTime implements TimeSource {

  /** Reading a clock is not free, so that a loop around it ends. */
  private static final long READ_NANOS = 100;

  private static final int SLOW_PER_MILLE = 10;
  private static final int WRONG_PER_MILLE = 5;
  private static final long YEAR_MILLIS = 365 * 86_400_000L;
  private static final int LONG_PER_MILLE = 100;
  private static final int SPURIOUS_PER_MILLE = 50;
  private static final int KEEPER_PER_MILLE = 300;

  private final Incarnation process;
  private final Cluster cluster;

  ProcessTime(Incarnation process) {
    this.process = process;
    cluster = process.cluster();
  }

  @Override
  public long currentTimeMillis() {
    return process.tape().answer(this::readClock);
  }

  private long readClock() {
    process.pass(READ_NANOS);
    long read = process.node().clock().millis(cluster.world().now());
    read += cluster.clockErrorMillis();
    if (cluster.odds().strikes(Fault.WRONG_READING, WRONG_PER_MILLE)) {
      read += cluster.odds().of(Fault.WRONG_READING).oneOf(YEAR_MILLIS, -YEAR_MILLIS);
    }
    if (cluster.odds().strikes(Fault.SLOW_READ, SLOW_PER_MILLE)) {
      loseTime();
    }
    return read;
  }

  private void loseTime() {
    Numbers random = cluster.odds().of(Fault.SLOW_READ);
    long window = cluster.settings().terms().windowNanos();
    long nanos = random.below(random.perMille(LONG_PER_MILLE) ? 4 * window : window / 10);
    process.log("stands still after reading its clock for", nanos / World.NANOS_PER_MILLI, "ms");
    process.pass(nanos);
  }

  /** Returns the time; called with locks held, so nothing else happens meanwhile. */
  @Override
  public long nanoTime() {
    return process.tape().answer(cluster.world()::now);
  }

  @Override
  public void parkNanos(long nanos) {
    boolean unused = process.tape().answer(() -> park(nanos));
  }

  private boolean park(long nanos) {
    boolean spurious = process.numbers().perMille(SPURIOUS_PER_MILLE);
    process.pass(spurious ? process.numbers().below(nanos + 1) : nanos);
    if (process.numbers().perMille(KEEPER_PER_MILLE)) {
      cluster.world().aside(process::keep);
    }
    return spurious;
  }

  @Override
  public long random(long bound) {
    return process.tape().answer(() -> process.numbers().below(bound));
  }
}
