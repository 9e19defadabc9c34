package io.firn;

import static io.firn.internal.Require.begun;
import static io.firn.internal.Require.inRange;
import static io.firn.internal.Require.notNegative;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.IdLayout.Kind;
import io.firn.internal.ClockReading;
import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.internal.PaddedCounter;
import io.firn.lease.Lease;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseStatus;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.lang.ref.Reference;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Issues IDs of an {@link IdLayout}: strictly increasing over all threads of the process, with no
 * lock, no allocation and no coordination between processes. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * One atomic word holds (tick, sequence) as a single number, the sequence in its low bits. The word
 * only grows. A caller draws the next number by add-and-fetch. Each number is drawn once, so
 * callers need no agreement: when the sequence is full, the carry moves the word on to the next
 * tick.
 *
 * <p>Before a caller draws, it reads the clock and the word. If the clock is more than a second
 * ahead of the word, the caller reads it again, so that one wrong reading does not move the word.
 * There are three cases:
 *
 * <ul>
 *   <li>The word's tick is the clock's. The caller draws.
 *   <li>The word is behind. One compare-and-set moves the word to the clock's tick, keeps or
 *       chooses the low bits ({@link SequenceStart}), and draws.
 *   <li>The word is ahead, because of a full tick, a clock that stepped back, or a burst. The
 *       difference is the <em>lead</em>. Up to {@code maxLead} the caller draws. Beyond it, the
 *       caller draws one number and waits until that number's tick is due. A caller that must fail
 *       draws nothing, so that retries do not move the word ahead.
 * </ul>
 *
 * <p>A full tick is the layout's own limit, and waiting for the next one ends by itself. A clock
 * that stepped back is distinguished from it by the latest reading that the slow path has seen; if
 * such a wait would be longer than {@code maxWait}, the call fails at once with {@link
 * ClockMovedBackwardsException}.
 *
 * <p>After the draw the caller takes one snapshot of the grant (worker bits, and the ticks in which
 * they may be used), and composes the ID if the number's tick is inside; otherwise it drops the
 * number and draws another. A pause anywhere changes nothing: the number is already its own.
 *
 * <p>Two threads that draw at the same time hand the word's cache line back and forth at every ID.
 * If the drawn number differs from the one read, another thread drew in between. If it is also a
 * multiple of eight, the caller backs off for a moment after its draw, which leaves the line to the
 * other thread for a run of draws. The number decides, because two threads that back off alike
 * contend again.
 *
 * <h2>What a fixed worker ID does not protect</h2>
 *
 * Two processes with the same worker ID issue the same IDs. So does a process that is restarted
 * with its clock set back. A restart with a clock that runs on repeats nothing: the first ID is of
 * the tick after the one in which the generator was built, beyond {@code maxLead} if there is one.
 * That holds as long as {@code maxLead} is not lowered by the restart.
 */
public final class Snowflake extends SnowflakeSlowPath implements IdGenerator, AutoCloseable {

  private static final Duration MIN_SCOPE = Duration.ofMillis(1);
  private static final Duration MAX_SCOPE = Duration.ofDays(1);

  /** Kept alive here: a lease keeps no generator alive. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable LeasedGenerator leasedGenerator;

  Snowflake(
      IdLayout layout,
      TimeSource drawClock,
      ClockPolicy policy,
      long workerBits,
      @Nullable Lease lease,
      @Nullable LeaseWindow window,
      long nowMillis) {
    super(layout, drawClock, policy, workerBits, lease, window, nowMillis);
  }

  /** Starts a generator of {@link IdLayout#CLASSIC}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the layout of the IDs. It changes if the namespace of the lease changes its layout. */
  public IdLayout layout() {
    Snowflake next = handOver();
    return next == null ? format.layout() : next.layout();
  }

  /**
   * Issues an ID that is larger than every ID that this generator issued before.
   *
   * <p>Waits for the next tick if the sequence of the tick is used up, and for a clock that stepped
   * back. Parks rather than spins.
   *
   * @throws ClockMovedBackwardsException if the clock stepped back by more than the lead and the
   *     wait allow
   * @throws SequenceExhaustedException if the clock is stopped and the tick is full
   * @throws LayoutExpiredException if the layout has come to its end
   * @throws WaitInterruptedException if the thread is interrupted and would have to wait
   * @throws io.firn.lease.LeaseExpiredException if the window of the lease is used up and could not
   *     be extended within the wait
   * @throws GeneratorClosedException if this generator is closed
   */
  @Override
  @SuppressWarnings("ReferenceEquality") // the very grant that was checked, not one like it
  public long nextId() {
    long seen = word.peek();
    long now = drawMillis();
    long tick = format.tickOf(seen);
    Grant held = grant;
    if (format.isInside(tick, now) && format.sequenceOf(seen) != 0 && held.permits(tick)) {
      long id = format.compose(held.workerBits(), seen); // the draw would delay it
      long drawn = word.getAndAdd(1);
      return drawn == seen && grant == held ? id : recheck(drawn, now);
    }
    return claimOne(now);
  }

  /** Checks a number that another thread's draw or a new grant came before. */
  private long recheck(long drawn, long now) {
    PaddedCounter.backOff(drawn);
    long tick = format.tickOf(drawn);
    Grant held = grant;
    if (format.isInside(tick, now) && held.permits(tick)) {
      return format.compose(held.workerBits(), drawn);
    }
    if (!isOfClosedWord(drawn)) {
      countUnused(1);
    }
    return claimOne(now);
  }

  /**
   * Issues an ID of a tick that the clock has confirmed.
   *
   * @param drawMillis what {@link #drawMillis} returned, which may be late
   */
  private long claimOne(long drawMillis) {
    long id = claim(1, drawClock == time ? drawMillis : sinceEpoch());
    return id == HANDED_OVER ? successor().nextId() : id;
  }

  /**
   * Issues IDs as {@link #nextId} does, one reservation for the part of them that fits into a tick.
   * The IDs are increasing, and larger than every ID issued before.
   *
   * @throws IndexOutOfBoundsException if {@code from} and {@code to} are not within the array
   * @throws io.firn.FirnException as {@link #nextId}; the IDs that were written before are issued
   */
  @Override
  public void nextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    for (int i = from; i < to; ) {
      long id = claim(to - i, sinceEpoch());
      if (id == HANDED_OVER) {
        successor().nextIds(target, i, to);
        return;
      }
      i = fill(target, i, to, id);
    }
  }

  /**
   * Issues IDs as {@link #nextIds} does, as many as it can without waiting. For a caller that must
   * not wait, such as an event loop.
   *
   * @return how many were issued, from {@code from} on; less than wanted if the rest has to wait
   *     for the clock or for a further window of the lease, which is requested
   * @throws io.firn.FirnException as {@link #nextId}, if none was issued and waiting would not help
   */
  public int tryNextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    int i = from;
    try {
      while (i < to) {
        long id = claim(to - i, sinceEpoch(), false);
        if (id == HANDED_OVER) {
          return i - from + successor().tryNextIds(target, i, to);
        }
        if (id == NONE) {
          break;
        }
        i = fill(target, i, to, id);
      }
    } catch (FirnException e) {
      if (i == from) { // else those that were issued are the caller's, and the next call fails
        throw e;
      }
    }
    return i - from;
  }

  /** Writes the IDs of a claim, and returns the end of them. */
  private int fill(long[] target, int from, int to, long first) {
    int end = from + format.claimed(first, to - from);
    long id = first;
    for (int i = from; i < end; i++) {
      target[i] = id;
      id += format.idStep();
    }
    return end;
  }

  /**
   * Returns a handle for one thread. It reserves the numbers of a tick in blocks, so that threads
   * do not contend for every ID. The IDs of one handle increase; those of two handles interleave
   * inside a tick. Blocks grow with use, from one number, so that low traffic spreads as evenly as
   * with {@link #nextId}.
   *
   * @return a handle that belongs to the first thread that draws from it
   */
  public SnowflakeHandle newHandle() {
    return newHandle(1);
  }

  /**
   * Returns a handle as {@link #newHandle()} does, which reads the clock only once per that many
   * IDs: an ID's time may be as old as the {@code idsPerClockRead} IDs before it.
   *
   * @param idsPerClockRead 1..65,536
   * @return a handle that belongs to the first thread that draws from it
   */
  public SnowflakeHandle newHandle(int idsPerClockRead) {
    inRange("idsPerClockRead", 1, SnowflakeHandle.MAX_IDS_PER_CLOCK_READ, idsPerClockRead);
    return new SnowflakeHandle(this, format, maxLeadMillis, idsPerClockRead);
  }

  /**
   * Opens a scope for one transaction, with the window of the lease as its limit; see {@link
   * #scope(Duration)}.
   */
  public IdScope scope() {
    return scope(Duration.ofMillis(leased().windowMillis()));
  }

  /**
   * Opens a scope for one transaction: as long as it is open, the {@linkplain
   * io.firn.lease.Watermark watermark} of the namespace stays below its IDs. From its first scope
   * on, this generator publishes its low mark with each renewal, and handles take one number at a
   * time.
   *
   * @param limit how long the scope may be open before it expires: 1 ms..1 day
   * @throws UnsupportedOperationException if the worker ID is not leased, or time is not the
   *     highest field of the layout
   * @throws GeneratorClosedException if this generator is closed
   */
  public IdScope scope(Duration limit) {
    inRange("limit", MIN_SCOPE, MAX_SCOPE, limit);
    String acquisition = leased().acquisition();
    Snowflake next = handOver();
    if (next != null) {
      return next.scope(limit);
    }
    if (!format.isTimeHighest()) {
      throw new UnsupportedOperationException(
          "layout: " + format.layout() + " (expected: time as the highest field, for a scope)");
    }
    long seen = pinnedWord();
    if (isOfClosedWord(seen)) {
      refuseClosed();
      return successor().scope(limit);
    }
    drawClock = time;
    return scopes.open(this, acquisition, format.tickOf(seen), limit);
  }

  private Lease leased() {
    if (lease == null) {
      throw new UnsupportedOperationException(
          "worker: fixed (expected: a leased worker ID, because a scope needs a low mark that"
              + " readers can see)");
    }
    return lease;
  }

  /** Returns why rows may not be committed now; empty if they may. */
  Optional<String> commitRefusal() {
    return leased().commitRefusal();
  }

  /** Returns how long a commit in doubt may still be applied. */
  long commitGraceNanos() {
    return leased().commitGraceNanos();
  }

  /** Returns the register that guards the commits of an acquisition; see {@link Lease#guard}. */
  Optional<Register> guard(String acquisition) {
    return leased().guard(acquisition);
  }

  /** Requests a new guard in place of one that a transaction did not find. */
  void replaceGuard(Register register) {
    leased().replaceGuard(register);
  }

  long nanoTime() {
    return time.nanoTime();
  }

  /** Returns counters and the current state. Not for the hot path. */
  public SnowflakeStats stats() {
    Snowflake next = handOver();
    return next == null ? ownStats() : next.stats().after(ownStats());
  }

  private SnowflakeStats ownStats() {
    long now = sinceEpoch();
    long newest = format.tickOf(end() - 1) * format.tickMillis();
    long issued = issued();
    return new SnowflakeStats(
        issued,
        clock.waits(),
        clock.steps(),
        Duration.ofMillis(issued == 0 ? 0 : Math.max(0, newest - now)),
        Duration.ofMillis((format.lastTick() + 1) * format.tickMillis() - now));
  }

  /** Returns the current state of the lease, if the worker ID is leased. */
  public Optional<LeaseStatus> leaseStatus() {
    return Optional.ofNullable(lease).map(Lease::status);
  }

  /**
   * Closes this generator and releases its leased worker ID. It issues no further ID. Its handles
   * issue only the numbers that they hold.
   *
   * <p>Waits up to 5 s for open scopes. If some stay open, their commits are refused, and the
   * worker ID is not released: it is free after its window, so that a commit that is under way is
   * not missed.
   */
  @Override
  public void close() {
    try {
      if (lease == null) {
        closeWord();
      } else {
        endScopes();
        lease.close();
      }
    } finally { // the lease holds this generator weakly, and asks it for the newest tick
      Reference.reachabilityFence(this);
    }
  }

  private void endScopes() {
    scopes.end();
    Snowflake next = successor;
    if (next != null) {
      next.endScopes();
    }
  }

  @Override
  public String toString() {
    return "Snowflake[" + format.layout() + "]";
  }

  /**
   * Collects the settings of a {@link Snowflake}. Each can be set once, and a worker ID is never
   * guessed. Not thread-safe.
   */
  public static final class Builder {

    private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(1);

    private @Nullable IdLayout layout;
    private @Nullable IdLayout nextLayout;
    private @Nullable Long datacenter;
    private @Nullable Long worker;
    private @Nullable ClockPolicy clockPolicy;
    private @Nullable Duration maxLead;
    private @Nullable Duration maxWait;
    private @Nullable SequenceStart sequenceStart;
    private @Nullable LeaseConfig lease;
    private @Nullable Boolean allowUnderTenYears;
    private @Nullable TimeSource time;
    private boolean built;

    private Builder() {}

    /** Sets the layout; {@link IdLayout#CLASSIC} unless set. */
    public Builder layout(IdLayout layout) {
      this.layout = once("layout", this.layout, layout);
      return this;
    }

    /**
     * Sets the layout to use after the namespace of the lease is {@linkplain
     * io.firn.lease.LayoutChange changed} to it. A generator without it stops at the change. If the
     * namespace has changed already, the generator begins with this layout, and the {@link #layout}
     * may have ended. IDs of the new layout may be smaller than those before, and scopes that are
     * open at the change expire. It must have the worker ID and the datacenter of the lease.
     */
    public Builder nextLayout(IdLayout nextLayout) {
      this.nextLayout = once("nextLayout", this.nextLayout, nextLayout);
      return this;
    }

    /**
     * Sets the worker ID: no other live process may have it. Required if the layout has workers.
     */
    public Builder worker(long worker) {
      this.worker = once("worker", this.worker, notNegative("worker", worker));
      return this;
    }

    /** Sets the datacenter. Required if the layout has datacenters, and refused if it has none. */
    public Builder datacenter(long datacenter) {
      this.datacenter = once("datacenter", this.datacenter, notNegative("datacenter", datacenter));
      return this;
    }

    /**
     * Leases the worker ID in a namespace of a store, with the settings that {@link
     * LeaseConfig#builder} begins with.
     */
    public Builder lease(RegisterStore store, String namespace) {
      return lease(LeaseConfig.builder(store, namespace).build());
    }

    /**
     * Leases the worker ID. Close the generator to release it. If a lease is lost, IDs continue
     * with another worker ID. In a layout whose worker is above the time (Seata's) they stay
     * unique, but may be smaller than before, and increase again from there.
     */
    public Builder lease(LeaseConfig lease) {
      this.lease = once("lease", this.lease, lease);
      return this;
    }

    /** Sets maxLead, maxWait and sequence start at once, to those of a well-known generator. */
    public Builder clockPolicy(ClockPolicy clockPolicy) {
      this.clockPolicy = once("clockPolicy", this.clockPolicy, clockPolicy);
      return this;
    }

    /**
     * Sets how far IDs may run ahead of the clock, 0..365 days in whole milliseconds; 0 unless set.
     *
     * <p>With a fixed worker ID, the first ID is {@code maxLead} ahead of the clock, because the
     * process before may have used up its lead. A burst right after the start therefore borrows
     * nothing until the clock has caught up. For the same reason, a restart with a smaller {@code
     * maxLead} repeats the IDs that the process before borrowed: lower it only after a pause of the
     * larger lead. A leased worker ID has neither limit.
     */
    public Builder maxLead(Duration maxLead) {
      this.maxLead = once("maxLead", this.maxLead, ClockPolicy.checked("maxLead", maxLead));
      return this;
    }

    /**
     * Sets how long a call may wait for a clock that stepped back, 0..365 days in whole
     * milliseconds; 1 s unless set. A call that would wait longer fails at once. A call that needs
     * a new window of its lease waits as long for it, and at least 1 s (a quarter of the window at
     * most), unless renewing fails.
     */
    public Builder maxWait(Duration maxWait) {
      this.maxWait = once("maxWait", this.maxWait, ClockPolicy.checked("maxWait", maxWait));
      return this;
    }

    /**
     * Sets which sequence number a new tick starts with; {@link SequenceStart#CONTINUE} unless set.
     */
    public Builder sequenceStart(SequenceStart sequenceStart) {
      this.sequenceStart = once("sequenceStart", this.sequenceStart, sequenceStart);
      return this;
    }

    /** Accepts a layout that ends in under ten years. */
    public Builder allowUnderTenYears() {
      allowUnderTenYears = once("allowUnderTenYears", allowUnderTenYears, true);
      return this;
    }

    /**
     * Sets the clock; the system's unless set. With {@link TimeSource#coarse} the time of an ID may
     * be late, as it says.
     */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Checks the settings as {@link #build} does, without asking the store of a lease, in place of
     * building. Only build refuses an epoch in the future, because a clock that is wrong now may be
     * set later.
     *
     * @throws IllegalArgumentException if a setting is missing, does not fit the layout, or
     *     contradicts another; or if the layout's end is too near
     */
    public void check() {
      built = buildOnce(built);
      check(confirmedMillis(time()));
    }

    private void check(long nowMillis) {
      SnowflakeChecks checks = new SnowflakeChecks(layout(), policy());
      if (lease != null) {
        SnowflakeChecks.checkUnset("worker", worker, "pinned to one");
        SnowflakeChecks.checkUnset("datacenter", datacenter, "bound to one");
        checks.checkLease(lease);
        if (nextLayout != null) {
          SnowflakeChecks next = new SnowflakeChecks(nextLayout, policy());
          next.checkAsNext(lease, layout());
          next.checkEnd("nextLayout", nowMillis, allowUnderTenYears != null);
        }
      } else if (nextLayout != null) {
        throw new IllegalArgumentException(
            "nextLayout: " + nextLayout + " (expected: a lease, whose namespace can change)");
      } else {
        workerBits();
      }
      if (nextLayout == null || !checks.hasEnded(nowMillis)) { // else the namespace has that one
        checks.checkEnd("layout", nowMillis, allowUnderTenYears != null);
      }
    }

    /**
     * Builds the generator, and leases its worker ID if a lease is set.
     *
     * @throws IllegalArgumentException if a setting is missing, does not fit the layout, or
     *     contradicts another; or if the layout's epoch is in the future or its end too near
     * @throws WaitInterruptedException if the thread is interrupted while it waits for a worker ID
     * @throws FirnException if no worker ID can be leased now; the message says why
     */
    public Snowflake build() {
      built = buildOnce(built);
      long nowMillis = confirmedMillis(time());
      check(nowMillis);
      begun(layout().epoch(), Instant.ofEpochMilli(nowMillis));
      return lease != null
          ? leased(lease, layout(), time(), policy())
          : new Snowflake(layout(), time(), policy(), workerBits(), null, null, nowMillis);
    }

    private IdLayout layout() {
      return layout == null ? IdLayout.CLASSIC : layout;
    }

    private TimeSource time() {
      return time == null ? TimeSource.system() : time;
    }

    private long workerBits() {
      return SnowflakeChecks.required(layout(), Kind.DATACENTER, datacenter)
          | SnowflakeChecks.required(layout(), Kind.WORKER, worker);
    }

    private static long confirmedMillis(TimeSource time) {
      return ClockReading.confirmed(time.precise(), MAX_JUMP_MILLIS).wallMillis();
    }

    private Snowflake leased(
        LeaseConfig config, IdLayout layout, TimeSource time, ClockPolicy policy) {
      Lease lease =
          Lease.acquire(config, layout, nextLayout, time.precise(), policy.maxLead().toMillis());
      LeaseWindow window = lease.window();
      Snowflake snowflake =
          new Snowflake(lease.layout(), time, policy, 0, lease, window, confirmedMillis(time));
      snowflake.leasedGenerator = lease.keepFor(new LeasedSnowflake(snowflake, window));
      return snowflake;
    }

    private ClockPolicy policy() {
      if (clockPolicy == null) {
        return new ClockPolicy(
            Objects.requireNonNullElse(maxLead, Duration.ZERO),
            Objects.requireNonNullElse(maxWait, DEFAULT_MAX_WAIT),
            Objects.requireNonNullElse(sequenceStart, SequenceStart.CONTINUE));
      }
      SnowflakeChecks.checkBesideClockPolicy("maxLead", maxLead);
      SnowflakeChecks.checkBesideClockPolicy("maxWait", maxWait);
      SnowflakeChecks.checkBesideClockPolicy("sequenceStart", sequenceStart);
      return clockPolicy;
    }
  }
}
