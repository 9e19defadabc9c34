package io.firn;

import io.firn.IdLayout.Kind;
import io.firn.internal.Word;
import io.firn.lease.Lease;
import io.firn.lease.LeaseStatus;
import io.firn.lease.Leaseholder;
import io.firn.lease.Window;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Issues IDs of an {@link IdLayout}: strictly increasing over all threads of the process, with no
 * lock, no allocation and no coordination between processes. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * One atomic word holds (tick, sequence) as a single number, the sequence in its low bits. The word
 * only grows. A caller draws the next number by add-and-fetch, and a drawn number belongs to nobody
 * else, so there is nothing to agree on: when the sequence is full, the carry moves the word on to
 * the next tick by itself.
 *
 * <p>Before a caller draws, it reads the clock, once, and looks at the word. There are three cases.
 * The word's tick is the clock's: draw. It is behind: one compare-and-set moves the word on to the
 * clock's tick, keeping or choosing the low bits ({@link SequenceStart}), and draws. It is ahead,
 * and that is the <em>lead</em>, whether it came from a full tick, from a clock that stepped back
 * or from a burst: up to {@code maxLead} the caller draws all the same, beyond it the caller draws
 * one number and waits until that number's tick is due. A caller that must fail draws nothing, so
 * that the word does not run away under callers that try again.
 *
 * <p>A full tick is the layout's own limit, and waiting for the next one ends by itself. A clock
 * that stepped back is told apart from it by the latest reading that the slow path has seen; such a
 * wait is bounded by {@code maxWait} and then fails with {@link ClockMovedBackwardsException}.
 *
 * <p>After the draw the caller takes one snapshot of the grant (worker bits, and the ticks in which
 * they may be used), and composes the ID if the number's tick is inside; otherwise it drops the
 * number and draws another. A pause anywhere changes nothing: the number is already its own.
 *
 * <p>Two threads that draw at the same time hand the word's cache line back and forth at every ID.
 * A caller that finds that its number is not the one it saw has met another. If it is a multiple of
 * eight, the caller steps aside for a moment after its draw, which leaves the line to the other for
 * a run of draws. The number decides, because two that step aside alike come back to meet again.
 *
 * <h2>What a fixed worker ID does not protect</h2>
 *
 * Two processes with the same worker ID issue the same IDs. So does a process that is restarted
 * with its clock set back. A restart with a clock that runs on repeats nothing: the first ID is of
 * the tick after the one in which the generator was built, beyond {@code maxLead} if there is one.
 */
public final class Snowflake implements IdGenerator, AutoCloseable {

  /** A word that nobody can draw from: its tick is past every grant. */
  private static final long CLOSED = Long.MIN_VALUE;

  /** The longest time that one park takes, so that a clock that steps forward is noticed. */
  private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long a park within the last millisecond takes: the clock does not tell fractions. */
  private static final long FRACTION_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /**
   * How much longer than it should a wait for the next tick may take on a clock that stands still.
   */
  private static final long STALL_MILLIS = 1_000;

  private final IdLayout layout;
  private final TimeSource time;
  private final long epochMillis;
  private final long tickMillis;
  private final int sequenceBits;
  private final long sequenceMask;
  private final int timeShift;
  private final long timeMask;
  private final int sequenceShift;
  private final long lastTick;
  private final long maxLeadMillis;
  private final long maxWaitMillis;
  private final SequenceStart start;
  private final long initial;
  private final Word word;
  private final Tally tally;
  private final AtomicLong rotation = new AtomicLong(1);
  private final @Nullable Lease lease;
  private volatile Grant grant;
  private volatile long lastDrawn;
  private volatile boolean closed;

  Snowflake(
      IdLayout layout,
      TimeSource time,
      Preset policy,
      long workerBits,
      @Nullable Lease lease,
      long nowMillis) {
    this.layout = layout;
    this.time = time;
    epochMillis = layout.epochMillis();
    tickMillis = layout.tickMillis();
    sequenceBits = layout.bits(Kind.SEQUENCE);
    sequenceMask = (1L << sequenceBits) - 1;
    timeShift = layout.shift(Kind.TIME);
    timeMask = (1L << layout.bits(Kind.TIME)) - 1;
    sequenceShift = layout.shift(Kind.SEQUENCE);
    lastTick = layout.lastPositiveTick();
    maxLeadMillis = policy.maxLead().toMillis();
    maxWaitMillis = policy.maxWait().toMillis();
    start = policy.sequenceStart();
    this.lease = lease;
    long now = nowMillis - epochMillis;
    grant =
        lease == null
            ? new Grant(workerBits, Math.floorDiv(now + maxLeadMillis, tickMillis) + 1, lastTick, 0)
            : grantOf(lease.window());
    initial = (grant.firstTick() << sequenceBits) | firstOfAll();
    word = new Word(initial);
    tally = new Tally(now);
  }

  /** Starts a generator of {@link IdLayout#CLASSIC}. */
  public static SnowflakeBuilder builder() {
    return new SnowflakeBuilder();
  }

  /** The layout of the IDs. */
  public IdLayout layout() {
    return layout;
  }

  /**
   * Issues an ID that is larger than every ID that this generator issued before.
   *
   * <p>Waits while the sequence of the tick is used up, or while a clock that stepped back is not
   * yet made good; parks rather than spins.
   *
   * @throws ClockMovedBackwardsException if the clock stepped back by more than the lead and the
   *     wait allow
   * @throws SequenceExhaustedException if the clock stands still and the tick is full
   * @throws LayoutExpiredException if the layout has come to its end
   * @throws WaitInterruptedException if the thread is interrupted and would have to wait
   * @throws io.firn.lease.LeaseExpiredException if the window of the lease is used up and could not
   *     be extended within the wait
   * @throws IllegalStateException if this generator is closed
   */
  @Override
  @SuppressWarnings("ReferenceEquality") // the very grant that was checked, not one like it
  public long nextId() {
    long seen = word.peek();
    long now = sinceEpoch();
    long tick = seen >>> sequenceBits;
    Grant held = grant;
    if (isCurrent(tick, now) && (seen & sequenceMask) != 0 && held.permits(tick)) {
      long drawn = word.getAndAdd(1);
      return drawn == seen && grant == held ? compose(held, drawn) : settle(drawn, now);
    }
    return claim(1, now);
  }

  /** Checks a number that another thread's draw or a new grant came before. */
  private long settle(long drawn, long now) {
    Word.meet(drawn);
    long tick = drawn >>> sequenceBits;
    Grant held = grant;
    if (isCurrent(tick, now) && held.permits(tick)) {
      return compose(held, drawn);
    }
    if (!isOfClosedWord(drawn)) {
      tally.dropped(1);
    }
    return claim(1, now);
  }

  /**
   * Issues IDs as {@link #nextId} does, one reservation for the part of them that fits into a tick.
   * The IDs are increasing, and larger than every ID issued before.
   */
  @Override
  public void nextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    long step = 1L << sequenceShift;
    for (int i = from; i < to; ) {
      long id = claim(to - i, sinceEpoch());
      int end = i + claimed(id, to - i);
      for (; i < end; i++) {
        target[i] = id;
        id += step;
      }
    }
  }

  /**
   * A generator for one thread, over this one. It takes the numbers of a tick in blocks, so that
   * threads do not meet at every ID. Its own IDs are increasing; those of two handles interleave
   * inside a tick. Blocks grow with use, from one number, so that low traffic spreads as evenly as
   * with {@link #nextId}.
   *
   * @return a generator that must not be used by two threads at once
   */
  public IdGenerator newHandle() {
    return newHandle(1);
  }

  /**
   * As {@link #newHandle()}, and reads the clock only once in so many IDs: an ID's time may be as
   * old as the {@code idsPerClockRead} IDs before it.
   *
   * @param idsPerClockRead 1..65,536
   * @return a generator that must not be used by two threads at once
   */
  public IdGenerator newHandle(int idsPerClockRead) {
    if (idsPerClockRead < 1 || idsPerClockRead > Handle.MAX_IDS_PER_CLOCK_READ) {
      throw new IllegalArgumentException(
          "idsPerClockRead: "
              + idsPerClockRead
              + " (expected: 1.."
              + Handle.MAX_IDS_PER_CLOCK_READ
              + ")");
    }
    return new Handle(this, idsPerClockRead);
  }

  /** What happened so far. Not for the hot path. */
  public SnowflakeStats stats() {
    long now = sinceEpoch();
    long newest = (end() - 1) >>> sequenceBits;
    long issued = tally.issued(this::end, initial);
    long lead = issued == 0 ? 0 : Math.max(0, newest * tickMillis - now);
    return new SnowflakeStats(
        issued,
        tally.waits(),
        tally.clockSteps(),
        Duration.ofMillis(lead),
        Duration.ofMillis((lastTick + 1) * tickMillis - now));
  }

  /** Where the numbers that were drawn end, also when nobody draws any more. */
  private long end() {
    long end = word.get();
    return isOfClosedWord(end) ? lastDrawn + 1 : end;
  }

  /** A number below the first one may also be past the very last one of a layout. */
  private boolean isOfClosedWord(long number) {
    return number < initial && closed;
  }

  /** The lease as it is now, if the worker ID is leased. */
  public Optional<LeaseStatus> leaseStatus() {
    return Optional.ofNullable(lease).map(Lease::status);
  }

  /**
   * Ends this generator: no ID is issued any more, also not by its handles beyond the numbers that
   * they hold. A leased worker ID is given back.
   */
  @Override
  public void close() {
    if (lease == null) {
      closeWord();
    } else {
      lease.close();
    }
  }

  /** Lets nobody draw any more, and tells the newest number that was drawn. */
  private long closeWord() {
    if (!closed) {
      closed = true;
      long before = word.getAndSet(CLOSED);
      lastDrawn = before < 0 ? Long.MAX_VALUE : before - 1; // it overflows at a layout's very end
      grant = new Grant(0, 0, -1, 0);
    }
    return lastDrawn;
  }

  @Override
  public String toString() {
    return "Snowflake[" + layout + "]";
  }

  private Grant grantOf(Window window) {
    return new Grant(
        layout.placeWorkerId(window.worker()),
        Math.max(0, -Math.floorDiv(epochMillis - window.notBeforeMillis(), tickMillis)),
        Math.min(lastTick, Math.floorDiv(window.notAfterMillis() - epochMillis, tickMillis) - 1),
        window.leadMillis());
  }

  /** The end of a number's tick; before the very first number comes -1, of tick -1. */
  private long endMillis(long number) {
    return epochMillis + ((number >> sequenceBits) + 1) * tickMillis;
  }

  /**
   * Follows the lease. A tick must not be issued with two workers, or the IDs of this generator
   * would not grow: before a window of another worker is permitted, the old one is cut off at a
   * tick that nobody has drawn yet.
   */
  final class Holder implements Leaseholder {

    private Window window;

    Holder(Window window) {
      this.window = window;
    }

    @Override
    public long newestMillis() {
      return endMillis(word.get() - 1);
    }

    @Override
    public void permit(Window next) {
      Grant held = grant;
      Grant wanted = grantOf(next);
      boolean goesOn =
          next.worker() == window.worker() && next.notBeforeMillis() == window.notBeforeMillis();
      grant = goesOn ? wanted.from(held.firstTick()) : wanted.from(cutOff(held, wanted));
      window = next;
    }

    /** Ends the held grant before a tick that nobody has drawn, and returns that tick. */
    private long cutOff(Grant held, Grant wanted) {
      long tick = wanted.firstTick();
      do {
        tick = Math.max(tick, newestTick() + 1);
        grant = held.until(tick - 1);
      } while (newestTick() >= tick);
      return tick;
    }

    private long newestTick() {
      return (word.get() - 1) >> sequenceBits;
    }

    @Override
    public long close() {
      return endMillis(closeWord());
    }
  }

  /** The clock, in milliseconds since the epoch. */
  long sinceEpoch() {
    return time.currentTimeMillis() - epochMillis;
  }

  /** Whether the clock is inside that tick. */
  private boolean isCurrent(long tick, long now) {
    return Long.compareUnsigned(now - tick * tickMillis, tickMillis) < 0;
  }

  private long compose(Grant held, long number) {
    return held.workerBits()
        | (number >>> sequenceBits) << timeShift
        | (number & sequenceMask) << sequenceShift;
  }

  /**
   * Draws up to {@code wanted} numbers of one tick, waiting if need be.
   *
   * @return the first ID; {@link #claimed} tells how many
   */
  long claim(int wanted, long now) {
    while (true) {
      long seen = word.get();
      Grant held = grant;
      long target = Math.max(Math.floorDiv(now, tickMillis), held.firstTick());
      long first = (seen >>> sequenceBits) < target ? firstOf(target, seen) : seen;
      long tick = first >>> sequenceBits;
      if (tick > held.lastTick()) {
        awaitGrant(tick);
        now = sinceEpoch();
        continue;
      }
      long due = tick * tickMillis - Math.max(maxLeadMillis, held.leadMillis());
      if (tick * tickMillis <= now) {
        tally.clockReads(now);
      } else {
        long latest = tally.latestReading();
        now = sinceEpoch();
        refuseHopelessWait(due - now, tally.stepBack(latest, now));
      }
      int count = room(first, wanted);
      boolean drawn =
          first == seen
              ? word.compareAndSet(seen, first + count)
              : tally.skip(word, seen, first, first + count);
      if (!drawn) {
        continue;
      }
      if (first != seen && seen != initial && start.rotates()) {
        rotation.incrementAndGet();
      }
      if (due > now) {
        now = awaitOrGiveBack(due, first, count);
      }
      held = grant;
      if (held.permits(tick)) {
        return compose(held, first);
      }
      tally.dropped(count);
    }
  }

  /** Waits for the lease to reach that tick, and fails if it does not in time. */
  private void awaitGrant(long tick) {
    refuseClosed();
    if (lease == null || tick > lastTick) {
      throw LayoutExpiredException.of(layout, time.currentTimeMillis());
    }
    lease.urge();
    long begin = time.nanoTime();
    while (tick > grant.lastTick() && tick >= grant.firstTick()) {
      long waited = TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - begin);
      if (waited >= maxWaitMillis || lease.trouble().isPresent()) {
        throw lease.expired();
      }
      time.parkNanos(FRACTION_PARK_NANOS);
      refuseClosed();
      if (Thread.currentThread().isInterrupted()) {
        throw WaitInterruptedException.of(maxWaitMillis - waited);
      }
    }
  }

  private void refuseClosed() {
    if (closed) {
      throw new IllegalStateException("generator: closed (expected: open)");
    }
  }

  /** How many IDs a claim that wanted so many, and returned this first ID, has got. */
  int claimed(long id, int wanted) {
    return room((id >>> sequenceShift) & sequenceMask, wanted);
  }

  private int room(long number, int wanted) {
    return (int) Math.min(wanted, sequenceMask + 1 - (number & sequenceMask));
  }

  /** The sequence of the very first number: a random one where the sequence continues from it. */
  private long firstOfAll() {
    if (start.continues()) {
      return time.random(sequenceMask + 1);
    }
    return start.isRandom() ? time.random(start.bound()) : 0;
  }

  private long firstOf(long tick, long seen) {
    return (tick << sequenceBits) | firstSequence(seen);
  }

  private long firstSequence(long seen) {
    if (start.continues()) {
      return seen & sequenceMask;
    }
    if (start.isRandom()) {
      return time.random(start.bound());
    }
    return start.rotates() && seen != initial ? rotation.get() % start.bound() : 0;
  }

  private void refuseHopelessWait(long waitMillis, long back) {
    if (waitMillis <= 0) {
      return;
    }
    if (back > 0 && waitMillis > maxWaitMillis) {
      throw ClockMovedBackwardsException.of(back, maxLeadMillis, maxWaitMillis);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw WaitInterruptedException.of(waitMillis);
    }
  }

  private long awaitOrGiveBack(long due, long first, int count) {
    try {
      return await(due);
    } catch (FirnException e) {
      if (!word.compareAndSet(first + count, first)) {
        tally.dropped(count);
      }
      throw e;
    }
  }

  /** Parks until the clock reaches {@code due}; both count from the epoch. */
  private long await(long due) {
    tally.waited();
    long begin = time.nanoTime();
    long stallMillis = due - sinceEpoch() + Math.max(maxWaitMillis, STALL_MILLIS);
    while (true) {
      long latest = tally.latestReading();
      long now = sinceEpoch();
      long left = due - now;
      if (left <= 0) {
        tally.clockReads(now);
        return now;
      }
      long waited = TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - begin);
      long back = tally.stepBack(latest, now);
      if (back > 0 && waited + left > maxWaitMillis) {
        throw ClockMovedBackwardsException.of(back, maxLeadMillis, maxWaitMillis);
      }
      if (waited > stallMillis) {
        throw SequenceExhaustedException.of(epochMillis + now, waited, sequenceMask + 1);
      }
      time.parkNanos(
          left == 1
              ? FRACTION_PARK_NANOS
              : Math.min(MAX_PARK_NANOS, TimeUnit.MILLISECONDS.toNanos(left - 1)));
      if (Thread.currentThread().isInterrupted()) {
        throw WaitInterruptedException.of(left);
      }
    }
  }

  void dropped(long count) {
    tally.dropped(count);
  }

  long tickMillis() {
    return tickMillis;
  }

  long maxLeadMillis() {
    return maxLeadMillis;
  }

  long idStep() {
    return 1L << sequenceShift;
  }

  /** When the tick of an ID that this generator issued began, in milliseconds since the epoch. */
  long tickStart(long id) {
    return ((id >>> timeShift) & timeMask) * tickMillis;
  }
}
