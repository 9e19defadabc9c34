package io.firn;

import io.firn.internal.ClockReading;
import io.firn.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of a generator, in milliseconds since the layout's epoch: remembers the latest reading
 * that the slow path saw, uses it to distinguish a clock that moved backwards from a full tick, and
 * waits. Thread-safe.
 */
final class GeneratorClock {

  /** The delay of a wait past its expected end from which the clock counts as stopped. */
  private static final long STALL_MILLIS = 1_000;

  private final TimeSource time;
  private final TickFormat format;
  private final long maxLeadMillis;
  private final long maxWaitMillis;
  private final AtomicLong latest;
  private final AtomicLong waits = new AtomicLong();
  private volatile long countedTick = Long.MIN_VALUE;
  private final AtomicLong steps = new AtomicLong();
  private final AtomicBoolean steppedBack = new AtomicBoolean();

  /** Creates a clock whose latest reading is {@code nowMillis}. */
  GeneratorClock(TimeSource time, TickFormat format, ClockPolicy policy, long nowMillis) {
    this.time = time;
    this.format = format;
    maxLeadMillis = policy.maxLead().toMillis();
    maxWaitMillis = policy.maxWait().toMillis();
    latest = new AtomicLong(nowMillis);
  }

  /** Reads the clock; if the reading is far from the latest one, reads until two agree. */
  private long readAfter(long latestMillis) {
    long now = format.sinceEpoch(time);
    return Math.abs(now - latestMillis) > SnowflakeWord.MAX_JUMP_MILLIS
        ? ClockReading.confirmed(time, SnowflakeWord.MAX_JUMP_MILLIS).wallMillis()
            - format.epochMillis()
        : now;
  }

  /** Notes a time that the clock has passed, by a reading of the lease. */
  void see(long millis) {
    latest.accumulateAndGet(millis, Math::max);
  }

  /**
   * Notes a reading that no call waits on, and reads a second time if it has jumped ahead.
   *
   * @return the reading to trust
   */
  long record(long nowMillis) {
    long before = latest.get();
    if (nowMillis <= before) {
      return nowMillis;
    }
    boolean jumped = nowMillis - before > SnowflakeWord.MAX_JUMP_MILLIS;
    long confirmed = jumped ? Math.min(nowMillis, format.sinceEpoch(time)) : nowMillis;
    latest.accumulateAndGet(confirmed, Math::max);
    steppedBack.set(false);
    return confirmed;
  }

  /**
   * Reads the clock for a call whose number is ahead of it.
   *
   * @param windowBegins whether the number is the first of a window. A window begins within its
   *     lead of the clock that the lease has read, so a clock that is behind that, by more than
   *     part of a tick, has moved backwards since
   * @param mayWait whether the call waits if it has to
   * @throws ClockMovedBackwardsException if the call would wait longer than it may, apart from the
   *     time that it would have waited had the clock not moved backwards, and for more than a tick
   *     or after a step back by the lead or more
   * @throws WaitInterruptedException if it would wait, and its thread is interrupted
   */
  long readBeforeWaitingFor(long dueMillis, boolean windowBegins, boolean mayWait) {
    long before = latest.get();
    long now = readAfter(before);
    long wait = dueMillis - now;
    long back = Math.max(stepBack(before, now), windowBegins ? wait - format.tickMillis() : 0);
    if (wait > 0) {
      refuseHopelessWait(back, wait, Math.min(back, wait));
      if (mayWait) {
        refuseInterrupted(wait);
      }
    }
    return now;
  }

  /**
   * Parks until the clock reaches {@code dueMillis}.
   *
   * @return the reading that reached it
   */
  long await(long dueMillis) {
    waits.incrementAndGet();
    long expected = Math.max(0, dueMillis - latest.get()); // by a clock that did not move backwards
    long wait = Math.max(0, dueMillis - readAfter(latest.get()));
    long stallMillis = wait + Math.max(maxWaitMillis, STALL_MILLIS);
    long begin = time.nanoTime();
    while (true) {
      // Before the clock: a pause between the two readings must not look like a stopped clock.
      long waited = TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - begin);
      long before = latest.get();
      long now = readAfter(before);
      long left = dueMillis - now;
      if (left <= 0) {
        return record(now);
      }
      refuseHopelessWait(stepBack(before, now), left, waited + left - expected);
      if (waited > stallMillis) {
        throw SequenceExhaustedException.of(
            format.epochMillis() + now, waited, format.sequencesPerTick());
      }
      time.parkUntil(format.epochMillis() + dueMillis, format.epochMillis() + now);
      refuseInterrupted(left);
    }
  }

  /**
   * Returns how far the clock is behind the latest reading.
   *
   * @param latestMillis taken before {@code nowMillis}: a reading that merely lost a race against
   *     another thread's is not a step
   */
  private long stepBack(long latestMillis, long nowMillis) {
    if (nowMillis >= latestMillis) {
      long unused = record(nowMillis);
      return 0;
    }
    if (steppedBack.compareAndSet(false, true)) {
      steps.incrementAndGet();
    }
    return latestMillis - nowMillis;
  }

  /**
   * Refuses a wait that a step back makes too long. A wait of up to a tick is due to a full tick if
   * the lead covers the step; it ends by itself.
   */
  private void refuseHopelessWait(long backMillis, long waitMillis, long addedMillis) {
    boolean fullTick = backMillis < maxLeadMillis && waitMillis <= format.tickMillis();
    if (backMillis > 0 && addedMillis > maxWaitMillis && !fullTick) {
      throw ClockMovedBackwardsException.of(
          Math.max(backMillis, addedMillis), maxLeadMillis, maxWaitMillis);
    }
  }

  private static void refuseInterrupted(long waitMillis) {
    if (Thread.currentThread().isInterrupted()) {
      throw WaitInterruptedException.of(waitMillis, "the clock");
    }
  }

  /** Counts a wait outside of this class, once for each tick that is waited for. */
  void countWait(long tick) {
    if (countedTick != tick) {
      countedTick = tick;
      waits.incrementAndGet();
    }
  }

  long waits() {
    return waits.get();
  }

  long steps() {
    return steps.get();
  }
}
