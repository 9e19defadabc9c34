package io.firn.simulation.world;

/** The ways in which a store loses data in one run. */
public enum Loss {
  NONE,
  ONE_FLUSH,
  ONE_FALL_BACK,
  ONE_FAILOVER,
  FLUSHES,
  FALL_BACKS,
  FAILOVERS;

  public Fault fault() {
    return switch (this) {
      case ONE_FLUSH, FLUSHES -> Fault.FORGET;
      case ONE_FAILOVER, FAILOVERS -> Fault.FAILOVER;
      default -> Fault.FALL_BACK;
    };
  }

  /** Returns whether it comes only once, at some time of the run. */
  boolean isSingle() {
    return this == ONE_FLUSH || this == ONE_FALL_BACK || this == ONE_FAILOVER;
  }
}
