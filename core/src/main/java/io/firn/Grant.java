package io.firn;

/**
 * The right to a worker's bits for a range of ticks.
 *
 * @param workerBits the datacenter and worker, in their place in an ID
 * @param firstTick the first tick that may be issued
 * @param lastTick the last tick that may be issued; before {@code firstTick} if there is none
 * @param leadMillis how far IDs may be ahead of the clock because {@code firstTick} is
 */
record Grant(long workerBits, long firstTick, long lastTick, long leadMillis) {

  /** Permits no tick. */
  static final Grant NONE = new Grant(0, 0, -1, 0);

  boolean permits(long tick) {
    return tick >= firstTick && tick <= lastTick;
  }

  /** Returns whether that tick, or one after it, may be issued. */
  boolean reaches(long tick) {
    return Math.max(tick, firstTick) <= lastTick;
  }

  Grant from(long tick) {
    return new Grant(workerBits, tick, lastTick, leadMillis);
  }

  Grant until(long tick) {
    return new Grant(workerBits, firstTick, Math.min(lastTick, tick), leadMillis);
  }
}
