package io.firn;

import io.firn.IdLayout.Kind;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
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
 * A caller that finds that its number is not the one it saw has met another, and steps aside for a
 * moment after its draw, which leaves the line to the other for a run of draws.
 *
 * <h2>What a fixed worker ID does not protect</h2>
 *
 * Two processes with the same worker ID issue the same IDs. So does a process that is restarted
 * with its clock set back. A restart with a clock that runs on repeats nothing: the first ID is of
 * the tick after the one in which the generator was built, beyond {@code maxLead} if there is one.
 */
public final class Snowflake implements IdGenerator {

  /** The longest time that one park takes, so that a clock that steps forward is noticed. */
  private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long a park within the last millisecond takes: the clock does not tell fractions. */
  private static final long FRACTION_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /**
   * How much longer than it should a wait for the next tick may take on a clock that stands still.
   */
  private static final long STALL_MILLIS = 1_000;

  private static final int STEP_ASIDE_SPINS = 16;

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
  private volatile Grant grant;

  private Snowflake(
      IdLayout layout, TimeSource time, long workerBits, Preset policy, long nowMillis) {
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
    long now = nowMillis - epochMillis;
    long firstTick = Math.floorDiv(now + maxLeadMillis, tickMillis) + 1;
    initial = (firstTick << sequenceBits) | firstOfAll();
    word = new Word(initial);
    tally = new Tally(now);
    grant = new Grant(workerBits, firstTick, lastTick);
  }

  /** Starts a generator of {@link IdLayout#CLASSIC}. */
  public static Builder builder() {
    return new Builder();
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
   */
  @Override
  public long nextId() {
    long seen = word.peek();
    long now = sinceEpoch();
    long tick = seen >>> sequenceBits;
    if (isCurrent(tick, now) && (seen & sequenceMask) != 0 && grant.permits(tick)) {
      long drawn = word.getAndAdd(1);
      if (drawn != seen) {
        stepAside();
        tick = drawn >>> sequenceBits;
      }
      Grant held = grant;
      if (isCurrent(tick, now) && held.permits(tick)) {
        return compose(held, drawn);
      }
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
    long newest = (word.get() - 1) >>> sequenceBits;
    long issued = tally.issued(word, initial);
    long lead = issued == 0 ? 0 : Math.max(0, newest * tickMillis - now);
    return new SnowflakeStats(
        issued,
        tally.waits(),
        tally.clockSteps(),
        Duration.ofMillis(lead),
        Duration.ofMillis((lastTick + 1) * tickMillis - now));
  }

  @Override
  public String toString() {
    return "Snowflake[" + layout + "]";
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
        throw expired(now);
      }
      long due = tick * tickMillis - maxLeadMillis;
      if (due + maxLeadMillis <= now) {
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
        stepAside();
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
      throw movedBackwards(back);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted(waitMillis);
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
        throw movedBackwards(back);
      }
      if (waited > stallMillis) {
        throw exhausted(waited, now);
      }
      time.parkNanos(
          left == 1
              ? FRACTION_PARK_NANOS
              : Math.min(MAX_PARK_NANOS, TimeUnit.MILLISECONDS.toNanos(left - 1)));
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted(left);
      }
    }
  }

  /** Leaves the word to the thread that was met, for about as long as some tens of draws take. */
  private static void stepAside() {
    for (int i = 0; i < STEP_ASIDE_SPINS; i++) {
      Thread.onSpinWait();
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

  private FirnException expired(long now) {
    return new LayoutExpiredException(
        "layout: "
            + layout
            + " (expected: a time before "
            + layout.positiveUntil()
            + ", the clock reads "
            + Instant.ofEpochMilli(epochMillis + now)
            + ")");
  }

  private FirnException movedBackwards(long back) {
    return new ClockMovedBackwardsException(
        "clock: moved backwards by "
            + back
            + " ms (expected: at most maxLead "
            + maxLeadMillis
            + " ms ahead of it, or to wait at most maxWait "
            + maxWaitMillis
            + " ms)",
        back);
  }

  private FirnException exhausted(long waited, long now) {
    return new SequenceExhaustedException(
        "clock: at "
            + Instant.ofEpochMilli(epochMillis + now)
            + " for "
            + waited
            + " ms (expected: to reach the next tick, all "
            + (sequenceMask + 1)
            + " numbers of this one are used)");
  }

  private static FirnException interrupted(long left) {
    return new WaitInterruptedException(
        "thread: interrupted with " + left + " ms to wait (expected: to wait for the clock)");
  }

  /**
   * Collects the settings of a {@link Snowflake}. Each can be set once, and a worker ID is never
   * guessed. Not thread-safe.
   */
  public static final class Builder {

    private static final Duration MAX_DURATION = Duration.ofDays(365);
    private static final Duration TEN_YEARS = Duration.ofDays(3652);
    private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(1);

    private @Nullable IdLayout layout;
    private @Nullable Long datacenter;
    private @Nullable Long worker;
    private @Nullable Preset preset;
    private @Nullable Duration maxLead;
    private @Nullable Duration maxWait;
    private @Nullable SequenceStart sequenceStart;
    private boolean allowUnderTenYears;
    private @Nullable TimeSource time;

    Builder() {}

    /** Sets the layout; {@link IdLayout#CLASSIC} unless set. */
    public Builder layout(IdLayout layout) {
      this.layout = once("layout", this.layout, layout);
      return this;
    }

    /**
     * Sets the worker ID: no other live process may have it. Required if the layout has workers.
     */
    public Builder worker(long worker) {
      this.worker = once("worker", this.worker, worker);
      return this;
    }

    /** Sets the datacenter. Required if the layout has datacenters. */
    public Builder datacenter(long datacenter) {
      this.datacenter = once("datacenter", this.datacenter, datacenter);
      return this;
    }

    /** Sets lead, wait and sequence start at once, to those of a well-known generator. */
    public Builder preset(Preset preset) {
      this.preset = once("preset", this.preset, preset);
      return this;
    }

    /** How far IDs may run ahead of the clock, 0..365 days in whole milliseconds; 0 unless set. */
    public Builder maxLead(Duration maxLead) {
      this.maxLead = once("maxLead", this.maxLead, maxLead);
      return this;
    }

    /**
     * How long a call waits for a clock that stepped back, 0..365 days in whole milliseconds; 1 s
     * unless set.
     */
    public Builder maxWait(Duration maxWait) {
      this.maxWait = once("maxWait", this.maxWait, maxWait);
      return this;
    }

    /** Which sequence number a new tick starts with; {@link SequenceStart#CONTINUE} unless set. */
    public Builder sequenceStart(SequenceStart sequenceStart) {
      this.sequenceStart = once("sequenceStart", this.sequenceStart, sequenceStart);
      return this;
    }

    /** Accepts a layout that ends in under ten years. */
    public Builder allowUnderTenYears() {
      allowUnderTenYears = true;
      return this;
    }

    /** Sets the clock; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    private static <T> T once(String name, @Nullable T before, T value) {
      if (before != null) {
        throw new IllegalArgumentException(
            name + ": " + value + " (expected: to be set once, it is " + before + ")");
      }
      return value;
    }

    /**
     * Builds the generator.
     *
     * @throws IllegalArgumentException if a setting is missing, does not fit the layout, or
     *     contradicts another; or if the layout's epoch is in the future or its end too near
     */
    public Snowflake build() {
      IdLayout layout = this.layout == null ? IdLayout.CLASSIC : this.layout;
      Preset policy = policy(layout);
      long workerBits =
          required(layout, Kind.DATACENTER, datacenter) | required(layout, Kind.WORKER, worker);
      TimeSource time = this.time == null ? TimeSource.system() : this.time;
      long nowMillis = time.currentTimeMillis();
      checkOrder(layout);
      checkLife(layout, Instant.ofEpochMilli(nowMillis), policy.maxLead());
      return new Snowflake(layout, time, workerBits, policy, nowMillis);
    }

    private Preset policy(IdLayout layout) {
      if (preset != null && (maxLead != null || maxWait != null || sequenceStart != null)) {
        throw new IllegalArgumentException(
            "preset: " + preset + " (expected: no maxLead, maxWait or sequenceStart beside it)");
      }
      Preset policy =
          preset != null
              ? preset
              : new Preset(
                  Objects.requireNonNullElse(maxLead, Duration.ZERO),
                  Objects.requireNonNullElse(maxWait, DEFAULT_MAX_WAIT),
                  Objects.requireNonNullElse(sequenceStart, SequenceStart.CONTINUE));
      checkDuration("maxLead", policy.maxLead());
      checkDuration("maxWait", policy.maxWait());
      checkStart(policy.sequenceStart(), layout.bits(Kind.SEQUENCE));
      return policy;
    }

    private static void checkDuration(String name, Duration value) {
      if (value.isNegative()
          || value.compareTo(MAX_DURATION) > 0
          || !value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
        throw new IllegalArgumentException(
            name + ": " + value + " (expected: 0..365 days in whole milliseconds)");
      }
    }

    private static void checkStart(SequenceStart start, int sequenceBits) {
      if (start.bound() > 1L << sequenceBits) {
        throw new IllegalArgumentException(
            "sequenceStart: "
                + start
                + " (expected: a bound in 1.."
                + (1L << sequenceBits)
                + ", the layout has "
                + sequenceBits
                + " sequence bits)");
      }
    }

    private static long required(IdLayout layout, Kind kind, @Nullable Long value) {
      if (value != null) {
        return layout.place(kind, value);
      }
      layout
          .field(kind)
          .ifPresent(
              field -> {
                throw new IllegalArgumentException(
                    kind.label()
                        + ": not set (expected: 0.."
                        + field.max()
                        + ", it is never guessed)");
              });
      return 0;
    }

    private static void checkOrder(IdLayout layout) {
      if (layout.shift(Kind.SEQUENCE) > layout.shift(Kind.TIME)) {
        throw new IllegalArgumentException(
            "layout: " + layout + " (expected: time above the sequence, or IDs would not grow)");
      }
    }

    private void checkLife(IdLayout layout, Instant now, Duration maxLead) {
      if (now.isBefore(layout.epoch())) {
        throw new IllegalArgumentException(
            "epoch: "
                + layout.epoch()
                + " (expected: not in the future, the clock reads "
                + now
                + ")");
      }
      Instant end = layout.positiveUntil();
      if (!now.isBefore(end)) {
        throw new IllegalArgumentException(
            "layout: " + layout + " (expected: one that has not ended, it did on " + end + ")");
      }
      if (!now.plus(maxLead).isBefore(end)) {
        throw new IllegalArgumentException(
            "maxLead: "
                + maxLead
                + " (expected: less than the layout has left, it ends on "
                + end
                + ")");
      }
      if (!allowUnderTenYears && end.isBefore(now.plus(TEN_YEARS))) {
        throw new IllegalArgumentException(
            "layout: "
                + layout
                + " (expected: ten years left or allowUnderTenYears(), it ends on "
                + end
                + ")");
      }
    }
  }
}
