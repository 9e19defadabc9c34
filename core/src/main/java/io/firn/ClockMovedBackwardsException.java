package io.firn;

import java.time.Duration;

/** Thrown when the wall clock stepped back by more than the lead and the wait allow. */
public final class ClockMovedBackwardsException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final long backMillis;

  private ClockMovedBackwardsException(String message, long backMillis) {
    super(message);
    this.backMillis = backMillis;
  }

  /**
   * Returns how far the clock is behind the latest reading that the generator has seen, or by how
   * much it made a call wait longer, if that is more.
   */
  public Duration back() {
    return Duration.ofMillis(backMillis);
  }

  static ClockMovedBackwardsException of(long backMillis, long maxLeadMillis, long maxWaitMillis) {
    return new ClockMovedBackwardsException(
        "The clock moved backwards by "
            + backMillis
            + " ms"
            + (backMillis > maxLeadMillis ? "" : ", with IDs ahead of it already")
            + " (maxLead is "
            + maxLeadMillis
            + " ms, maxWait is "
            + maxWaitMillis
            + " ms); synchronize it, or raise maxLead",
        backMillis);
  }
}
