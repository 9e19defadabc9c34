package io.firn.simulation.world;

/** A node's wall clock: what it makes of true time. */
final class NodeClock {

  private static final long PPM = 1_000_000;

  private long sinceNanos;
  private long baseNanos;
  private long rate;
  private boolean frozen;

  /** Nanoseconds since the world began, as this clock sees it. */
  private long read(long now) {
    long elapsed = now - sinceNanos;
    return baseNanos + (frozen ? 0 : elapsed + elapsed / PPM * rate);
  }

  long millis(long now) {
    return Settings.START_MILLIS + Math.floorDiv(read(now), World.NANOS_PER_MILLI);
  }

  private void rebase(long now) {
    baseNanos = read(now);
    sinceNanos = now;
  }

  void step(long now, long nanos) {
    rebase(now);
    baseNanos += nanos;
  }

  void drift(long now, long partsPerMillion) {
    rebase(now);
    rate = partsPerMillion;
  }

  void freeze(long now) {
    rebase(now);
    frozen = true;
  }

  void thaw(long now) {
    rebase(now);
    frozen = false;
  }

  /** Runs true from now on. */
  void repair(long now) {
    sinceNanos = now;
    baseNanos = now;
    rate = 0;
    frozen = false;
  }
}
