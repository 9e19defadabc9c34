package io.firn.simulation;

/** How a store loses its memory in one run. */
enum Loss {
  NONE,
  ONE_FLUSH,
  ONE_FALL_BACK,
  FLUSHES,
  FALL_BACKS;

  Fault fault() {
    return this == ONE_FLUSH || this == FLUSHES ? Fault.FORGET : Fault.FALL_BACK;
  }

  /** Whether it comes only once, at some time of the run. */
  boolean isSingle() {
    return this == ONE_FLUSH || this == ONE_FALL_BACK;
  }
}
