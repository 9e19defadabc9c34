package io.firn;

/**
 * The right to a worker's bits for a stretch of ticks.
 *
 * @param workerBits the datacenter and worker, in their place in an ID
 * @param firstTick the first tick that may be issued
 * @param lastTick the last tick that may be issued; before {@code firstTick} if there is none
 */
record Grant(long workerBits, long firstTick, long lastTick) {

  boolean permits(long tick) {
    return tick >= firstTick && tick <= lastTick;
  }
}
