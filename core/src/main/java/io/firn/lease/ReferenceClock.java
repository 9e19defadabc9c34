package io.firn.lease;

import io.firn.internal.ClockReading;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clock that windows are proposed by: the store's where it has one, else this process's. No
 * promise rests on it: a wrong clock makes IDs whose time is wrong and worker IDs that stay taken,
 * never duplicates. For one thread at a time, apart from what is said to be thread-safe.
 *
 * <p>A wrong clock must not move a fence by years, because the worker ID could then not be leased
 * until the clock gets there. So a reading counts once a second one agrees with it, and at each
 * renewal the progress of the wall clock is compared with that of the monotonic clock. If they
 * disagree, or the wall clock has drifted from the store's, the store's clock decides; without one,
 * the earlier of the two times holds until the new time has proved stable.
 */
final class ReferenceClock {

  /** For this part of a window a clock that jumped must run on before it is trusted. */
  private static final int STABLE_PER_WINDOW = 4;

  /**
   * A clock's progress may differ by this part of a window, however small the allowed skew is: the
   * two clocks are not read at once, and the wall clock has no fractions.
   */
  private static final int JUMPS_PER_WINDOW = 16;

  /**
   * The longest time for which a clock is not compared with that of a store that may lose writes:
   * windows that follow a clock whose error grows slowly would reach past where new processes begin
   * after a loss. A clock that is slewed by a twelfth, as chrony does at most, is 5 s off by then.
   */
  private static final long MAX_UNCHECKED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final RegisterStore store;
  private final TimeSource time;
  private final long maxSkewMillis;
  private final long maxJumpMillis;
  private final long stableNanos;
  private volatile @Nullable ClockReading trusted;
  private @Nullable ClockReading jumped;
  private @Nullable String doubt;
  private boolean hasStoreClock = true;
  private long checkedNanos;

  ReferenceClock(LeaseConfig config, TimeSource time) {
    this(config.store(), config.maxClockSkewMillis(), config.windowMillis(), time);
  }

  /** Creates the clock of a process that leases nothing, with the default settings of leases. */
  ReferenceClock(RegisterStore store, TimeSource time) {
    this(
        store,
        LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis(),
        LeaseConfig.Builder.WINDOW.toMillis(),
        time);
  }

  private ReferenceClock(
      RegisterStore store, long maxSkewMillis, long windowMillis, TimeSource time) {
    this.store = store;
    this.time = time;
    this.maxSkewMillis = maxSkewMillis;
    maxJumpMillis = Math.max(maxSkewMillis, windowMillis / JUMPS_PER_WINDOW);
    stableNanos = windowMillis * NANOS_PER_MILLI / STABLE_PER_WINDOW;
    checkedNanos = time.nanoTime();
  }

  /**
   * Returns the clock for an acquisition.
   *
   * @throws ClockSkewException if this process's clock is too far from the store's
   */
  long checkedMillis() {
    ClockReading before = read();
    trust(before);
    OptionalLong ofStore = store.currentTimeMillis();
    hasStoreClock = ofStore.isPresent();
    if (ofStore.isEmpty()) {
      return before.wallMillis();
    }
    long reference = ofStore.getAsLong();
    Optional<String> skew = skewFrom(reference, before);
    if (skew.isPresent()) {
      throw new ClockSkewException(skew.get());
    }
    return reference;
  }

  /**
   * Checks this process's clock against a reading of the store's.
   *
   * @param reference what the store's clock showed
   * @param nanosBefore the monotonic clock before the store was asked
   * @throws ClockSkewException if this process's clock is too far from the store's
   */
  void check(long reference, long nanosBefore) {
    ClockReading now = read();
    long passedMillis = (now.nanos() - nanosBefore) / NANOS_PER_MILLI + 1;
    Optional<String> skew =
        skewFrom(reference, new ClockReading(now.wallMillis() - passedMillis, nanosBefore));
    if (skew.isPresent()) {
      throw new ClockSkewException(skew.get());
    }
    trust(now);
  }

  /** Describes the skew if it is too large; the store read its clock after {@code before}. */
  private Optional<String> skewFrom(long reference, ClockReading before) {
    long after = read().wallMillis();
    checkedNanos = before.nanos();
    return Math.max(reference - after, before.wallMillis() - reference) > maxSkewMillis
        ? Optional.of(describe(reference > after ? after : before.wallMillis(), reference))
        : Optional.empty();
  }

  /** Returns the clock for a renewal, which costs a call if the store's must be asked. */
  long renewalMillis(boolean askStore) {
    ClockReading now = read();
    ClockReading last = lastTrusted(now);
    boolean jump = last.isJump(now, maxJumpMillis);
    if (jump || askStore || isCheckDue(now)) {
      OptionalLong storeClock = store.currentTimeMillis();
      if (storeClock.isPresent()) {
        long reference = ofStore(now, storeClock.getAsLong());
        return jump || askStore ? reference : Math.min(reference, now.wallMillis());
      }
    }
    return jump ? afterJump(last, now) : trust(now);
  }

  private boolean isCheckDue(ClockReading now) {
    return doubt != null
        || (store.mayForget() && now.nanos() - checkedNanos >= MAX_UNCHECKED_NANOS);
  }

  private long ofStore(ClockReading now, long reference) {
    Optional<String> skew = skewFrom(reference, now);
    if (skew.isPresent()) {
      doubt = skew.get();
    } else {
      trust(now);
    }
    return reference;
  }

  private long afterJump(ClockReading last, ClockReading now) {
    if (jumped == null || jumped.isJump(now, maxJumpMillis)) {
      jumped = now;
    } else if (now.nanos() - jumped.nanos() >= stableNanos) {
      return trust(now);
    }
    long expected = last.expectedMillis(now);
    doubt =
        "The clock of this host reads "
            + Instant.ofEpochMilli(now.wallMillis())
            + ", and by the time that has passed it is about "
            + Instant.ofEpochMilli(expected)
            + "; correct the clock, or wait: it is trusted once it has run on for "
            + stableNanos / NANOS_PER_MILLI
            + " ms";
    return Math.min(now.wallMillis(), expected);
  }

  private long trust(ClockReading reading) {
    trusted = reading;
    jumped = null;
    doubt = null;
    return reading.wallMillis();
  }

  /** Returns why the clock was not trusted at the last renewal; null if it was. */
  @Nullable String doubt() {
    return doubt;
  }

  /** Returns whether the store has a clock, as far as known. */
  boolean hasStoreClock() {
    return hasStoreClock;
  }

  /** Returns in how many nanoseconds a clock that jumped may be trusted. */
  long stableNanos() {
    return stableNanos;
  }

  private ClockReading lastTrusted(ClockReading other) {
    ClockReading last = trusted;
    return last == null ? other : last;
  }

  /** Returns this process's clock, by the time that has passed since it was trusted last. */
  long trustedMillis() {
    return trustedMillis(read());
  }

  /** Returns a reading of this process's clock, by the time that has passed. */
  long trustedMillis(ClockReading now) {
    return lastTrusted(now).expectedMillis(now);
  }

  /** Returns whether the wall clock has jumped since it was trusted last. Thread-safe. */
  boolean hasJumped(ClockReading now) {
    return lastTrusted(now).isJump(now, maxJumpMillis);
  }

  /** Reads this process's clocks. A single wrong reading counts for nothing. Thread-safe. */
  ClockReading read() {
    return ClockReading.confirmed(time, maxJumpMillis);
  }

  private String describe(long wallMillis, long reference) {
    return "The clock of this host reads "
        + Instant.ofEpochMilli(wallMillis)
        + ", "
        + Math.abs(reference - wallMillis)
        + " ms "
        + (reference > wallMillis ? "behind" : "ahead of")
        + " the store's "
        + Instant.ofEpochMilli(reference)
        + "; maxClockSkew allows "
        + maxSkewMillis
        + " ms: synchronize the clocks";
  }
}
