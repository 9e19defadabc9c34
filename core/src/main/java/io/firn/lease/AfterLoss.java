package io.firn.lease;

import java.util.Locale;

/** The choice of a process that acquires a worker ID soon after its store may have lost writes. */
public enum AfterLoss {
  /**
   * It begins ahead of the clock at once, past every window of before. Its IDs lead until the clock
   * has caught up. This withstands one loss in that time.
   */
  AHEAD,

  /**
   * It waits until the clock is past every window of before, and so do blocks of IDs. This
   * withstands any number of losses.
   */
  WAIT;

  /**
   * Returns the value of a name in lower case.
   *
   * @throws IllegalArgumentException if it is not that of a value
   */
  public static AfterLoss of(String label) {
    for (AfterLoss each : values()) {
      if (each.label().equals(label)) {
        return each;
      }
    }
    throw new IllegalArgumentException("afterLoss: " + label + " (expected: ahead or wait)");
  }

  /** Returns the name in lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
