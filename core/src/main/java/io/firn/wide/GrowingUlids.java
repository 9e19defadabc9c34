package io.firn.wide;

import io.firn.FirnException;
import io.firn.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** ULIDs, each above the one before: a new millisecond draws 80 random bits, an old one counts. */
final class GrowingUlids implements WideIdGenerator<Ulid> {

  private static final long MAX_MILLIS = (1L << 48) - 1;

  private final TimeSource time;
  private final Keystream keystream;
  private final AtomicReference<Ulid> newest = new AtomicReference<>(new Ulid(0, 0));

  GrowingUlids(TimeSource time) {
    this.time = time;
    keystream = new Keystream(time);
  }

  @Override
  public Ulid nextId() {
    long now = time.currentTimeMillis();
    while (true) {
      Ulid last = Objects.requireNonNull(newest.get());
      Ulid next = now > last.millis() ? random(now) : last.successor();
      if (newest.compareAndSet(last, next)) {
        return next;
      }
    }
  }

  private Ulid random(long millis) {
    if (millis > MAX_MILLIS) {
      throw new FirnException("clock: " + millis + " (expected: 0.." + MAX_MILLIS + ")");
    }
    return new Ulid(millis << 16 | keystream.nextLong() >>> 48, keystream.nextLong());
  }
}
