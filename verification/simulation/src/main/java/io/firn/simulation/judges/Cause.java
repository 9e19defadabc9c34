package io.firn.simulation.judges;

import io.firn.simulation.world.Slot;

/** The cause of an ID that two generators issued. */
public enum Cause {
  OUTLIVED("went on after its claim had ended"),
  RESTARTED("restarted with its clock behind"),
  REUSED("took a number over with its clock behind"),
  REPLACED("was replaced while it still lived"),
  SHARED("one number was given to two");

  private final String text;

  Cause(String text) {
    this.text = text;
  }

  static Cause of(Slot before, Slot now) {
    if ((!before.process().isDead() && !before.hasClaim()) || !now.hasClaim()) {
      return OUTLIVED;
    }
    boolean sameInstance = before.process().instance().equals(now.process().instance());
    if (before.process().isDead()) {
      return sameInstance ? RESTARTED : REUSED;
    }
    return sameInstance ? REPLACED : SHARED;
  }

  @Override
  public String toString() {
    return text;
  }
}
