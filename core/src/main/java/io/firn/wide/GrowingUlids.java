package io.firn.wide;

import io.firn.internal.PaddedCounter;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * ULIDs, each above the one before: a new millisecond draws 80 random bits, and counts on from
 * them.
 *
 * <p>A call that began before a new millisecond was there may still draw from the old one. A call
 * that begins after that sees the new one, so all calls have an order in which their ULIDs grow.
 */
final class GrowingUlids implements WideIdGenerator<Ulid> {

  private static final long MAX_MILLIS = (1L << 48) - 1;

  private final TimeSource time;
  private final Keystream keystream;
  private final AtomicReference<Run> newest;

  GrowingUlids(TimeSource time) {
    this.time = time;
    keystream = new Keystream(time);
    newest = new AtomicReference<>(new Run(random(0))); // for a clock that is before 1970
  }

  /** The ULIDs of a millisecond: the first one, and how many were drawn. */
  private static final class Run extends PaddedCounter {

    private final Ulid first;

    Run(Ulid first) {
      super(0);
      this.first = first;
    }

    Ulid next() {
      return first.plus(incrementWithBackoff());
    }
  }

  @Override
  public Ulid nextId() {
    long now = time.currentTimeMillis();
    Run run = Objects.requireNonNull(newest.get());
    while (now > run.first.millis()) {
      newest.compareAndSet(run, new Run(random(now)));
      run = Objects.requireNonNull(newest.get());
    }
    return run.next();
  }

  private Ulid random(long millis) {
    if (millis > MAX_MILLIS) {
      throw MonotonicClockWord.pastTheEnd(millis, MAX_MILLIS, Instant::ofEpochMilli);
    }
    return new Ulid(millis << 16 | keystream.nextLong() >>> 48, keystream.nextLong());
  }
}
