package io.firn;

import java.time.Instant;

/**
 * Thrown when all numbers of a tick are used and the clock does not reach the next one: it is
 * stopped.
 */
public final class SequenceExhaustedException extends FirnException {

  private static final long serialVersionUID = 1L;

  private SequenceExhaustedException(String message) {
    super(message);
  }

  static SequenceExhaustedException of(long nowMillis, long waitedMillis, long numbersPerTick) {
    return new SequenceExhaustedException(
        "The clock stood at "
            + Instant.ofEpochMilli(nowMillis)
            + " for "
            + waitedMillis
            + " ms before the next tick, and all "
            + numbersPerTick
            + " numbers of this one are used; correct the clock, which has stopped");
  }
}
