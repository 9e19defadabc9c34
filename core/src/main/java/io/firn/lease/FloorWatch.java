package io.firn.lease;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of a lease about the floor of its namespace: whether a watermark was ever asked
 * for, and how often its reader wants low marks. For one thread at a time; any thread may ask what
 * was seen.
 */
final class FloorWatch {

  /** Until a floor exists, one in this number of renewals checks for it. */
  private static final int RENEWALS_PER_LOOK = 4;

  private final RegisterStore store;
  private final String register;
  private final long windowMillis;
  private volatile @Nullable FloorRecord seen;
  private int renewals;

  FloorWatch(LeaseConfig config) {
    store = config.store();
    register = config.namespace().watermarkRegister();
    windowMillis = config.windowMillis();
  }

  /** Returns the name of the register of the floor. */
  String register() {
    return register;
  }

  /** Records what was read. */
  void see(Optional<Register> read) {
    read.map(FloorRecord::parse).ifPresent(now -> seen = now);
  }

  /** Returns the floor as it was read last; less than any time if there is none. */
  long floorMillis() {
    FloorRecord now = seen;
    return now == null ? Long.MIN_VALUE : now.floorMillis();
  }

  /** Returns whether the namespace has a watermark. */
  boolean isWanted() {
    return seen != null;
  }

  /** Returns how long after its fence a holder's worker is not taken over. */
  long graceMillis() {
    FloorRecord now = seen;
    return now == null ? 0 : now.graceMillis();
  }

  /** Returns the time of the watermark that was published last; empty without one. */
  Optional<Instant> published() {
    return Optional.ofNullable(seen).map(record -> Instant.ofEpochMilli(record.beforeMillis()));
  }

  /**
   * Returns whether the floor must be read after this renewal.
   *
   * @param expected whether a floor is likely to be there soon
   */
  boolean isDue(boolean expected) {
    return expected || isWanted() || ++renewals % RENEWALS_PER_LOOK == 0;
  }

  /** Reads the floor. A failure changes nothing: the next look will do. */
  void look() {
    try {
      see(store.read(register));
    } catch (RuntimeException e) {
      LeaseEvents.logNow(Level.DEBUG, "the floor could not be read: " + register, e);
    }
  }

  /** Returns how often a reader that asked lately wants low marks; as long as possible if none. */
  long heartbeatNanos(long nowMillis) {
    FloorRecord now = seen;
    return now != null
            && now.everyMillis() > 0
            && nowMillis - now.floorMillis() < Math.max(windowMillis, 2 * now.everyMillis())
        ? TimeUnit.MILLISECONDS.toNanos(now.everyMillis())
        : Long.MAX_VALUE;
  }
}
