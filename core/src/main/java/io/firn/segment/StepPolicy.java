package io.firn.segment;

import java.util.concurrent.TimeUnit;

/**
 * The size of fetches: the step, which is how many IDs a segment has, and the distance, which is
 * how many IDs are kept behind the segment that is drawn from. The distance is a multiple of the
 * step, and what lacks of it is asked for at once.
 *
 * <p>The distance doubles when callers had to wait, for then it did not last as long as a fetch
 * takes. It halves when no caller had to wait for a while and the last segment came with most of it
 * left.
 *
 * <p>A source may give fewer IDs than it is asked for, such as one for each statement. A longer
 * distance then takes more requests, not larger ones, and lets callers wait all the same. So the
 * distance does not double once it is longer than what such a source gives at once.
 *
 * <p>An adaptive step is Leaf's: it doubles when as many IDs lasted less than a quarter of an hour,
 * and halves when they lasted more than half an hour.
 *
 * <p>{@link #distance} and {@link #step} are for every thread, the rest for one at a time.
 */
final class StepPolicy {

  static final long MIN_LAST_NANOS = TimeUnit.MINUTES.toNanos(15);
  static final long MAX_LAST_NANOS = TimeUnit.MINUTES.toNanos(30);
  static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The maximum number of short answers that are kept ahead: each has an object of its own. */
  private static final long MAX_SHORT_ANSWERS = 10_000;

  private final long minStep;
  private final long maxStep;
  private final long maxAhead;
  private volatile long step;
  private volatile long distance;
  private long factor = 1;
  private long measuredIssued;
  private long measuredNanos;
  private long changedNanos;
  private boolean mostlyUnused;

  /** The number of IDs that the source gives at once, by its last short answer. */
  private long mostGiven = Segment.MAX_COUNT;

  StepPolicy(long minStep, long maxStep, long maxAhead, long nowNanos) {
    this.minStep = minStep;
    this.maxStep = maxStep;
    this.maxAhead = maxAhead;
    step = minStep;
    distance = minStep;
    measuredNanos = nowNanos;
    changedNanos = nowNanos;
  }

  long step() {
    return step;
  }

  long distance() {
    return distance;
  }

  /** Returns how many more IDs to fetch, in whole steps. */
  long missing(long ahead) {
    long steps = (distance - ahead + step - 1) / step;
    return Math.max(1, steps) * step;
  }

  /**
   * Adapts step and distance to what has happened since the last call.
   *
   * @param issued how many IDs were issued in all
   * @param waited whether a caller had to wait because the distance was too short
   */
  void adapt(long nowNanos, long issued, boolean waited) {
    if (issued - measuredIssued >= step) {
      step = nextStep(nowNanos - measuredNanos, issued - measuredIssued);
      measuredIssued = issued;
      measuredNanos = nowNanos;
    }
    if (waited) {
      if (distance <= mostGiven) {
        factor = Math.min(2 * factor, Math.max(1, maxAhead / step));
      }
      changedNanos = nowNanos;
    } else if (mostlyUnused && factor > 1 && nowNanos - changedNanos >= CALM_NANOS) {
      factor /= 2;
      changedNanos = nowNanos;
    }
    updateDistance();
  }

  private void updateDistance() {
    long ahead = Math.min(factor, Math.max(1, maxAhead / step)) * step;
    distance = Math.min(ahead, mostGiven * MAX_SHORT_ANSWERS);
  }

  private long nextStep(long nanos, long issued) {
    double lasted = (double) nanos * step / issued;
    if (lasted < MIN_LAST_NANOS) {
      return Math.min(2 * step, maxStep);
    }
    return lasted > MAX_LAST_NANOS ? Math.max(step / 2, minStep) : step;
  }

  /**
   * Records that a segment arrived.
   *
   * @param asked how many IDs were asked for
   * @param given how many IDs the segment has
   * @param left how many were left of the segments before
   */
  void arrived(long asked, long given, long left) {
    if (given < asked) {
      mostGiven = given;
    } else if (given > mostGiven) {
      mostGiven = Segment.MAX_COUNT;
    }
    updateDistance();
    mostlyUnused = left >= distance - distance / 4;
  }
}
