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
    long end = (long) (length.toNanos() * share);
    for (long left = end; left > 0; left = end - (TIME.nanoTime() - beginNanos)) {
      TIME.parkNanos(left);
    }
  }
}
