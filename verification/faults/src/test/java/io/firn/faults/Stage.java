package io.firn.faults;

import io.firn.time.TimeSource;
import java.time.Duration;

/** The time of a run. */
final class Stage {

  private static final TimeSource TIME = TimeSource.system();

  private final Duration length;
  private final long beginNanos = TIME.nanoTime();

  Stage(Duration length) {
    this.length = length;
  }

  /** Waits until that share of the run is over, 0..1. */
  void awaitShare(double share) {
    await(beginNanos + nanos(share));
  }

  /** Waits for that share of the run from now on, 0..1. */
  void pass(double share) {
    await(TIME.nanoTime() + nanos(share));
  }

  private long nanos(double share) {
    return (long) (length.toNanos() * share);
  }

  private static void await(long endNanos) {
    for (long left = endNanos - TIME.nanoTime(); left > 0; left = endNanos - TIME.nanoTime()) {
      TIME.parkNanos(left);
    }
  }
}
