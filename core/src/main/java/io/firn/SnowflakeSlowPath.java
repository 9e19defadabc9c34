package io.firn;

import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.lease.Lease;
import io.firn.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All of drawing that is not the fast path of a {@link Snowflake}: moving on to another tick,
 * waiting for the clock or for the lease, and handing over to the generator of the next layout.
 */
class SnowflakeSlowPath extends SnowflakeWord {

  /** Stands for an ID where none can be issued without waiting. */
  static final long NONE = -1;

  /** Stands for an ID where the successor issues it. */
  static final long HANDED_OVER = -2;

  final @Nullable Lease lease;
  final OpenScopes scopes;
  private final ClockPolicy policy;
  private final long maxWaitMillis;

  /** True if this follows the generator of another layout: its first window begins ahead. */
  boolean follows;

  /** Issues IDs of another layout once the last grant of this one is used up. */
  volatile @Nullable Snowflake successor;

  SnowflakeSlowPath(
      IdLayout layout,
      TimeSource drawClock,
      ClockPolicy policy,
      long workerBits,
      @Nullable Lease lease,
      @Nullable LeaseWindow window,
      long nowMillis) {
    super(layout, drawClock, policy, workerBits, window, nowMillis);
    this.policy = policy;
    maxWaitMillis = policy.maxWait().toMillis();
    this.lease = lease;
    scopes = new OpenScopes(time, lease == null ? unused -> {} : lease::logWarning);
  }

  // The next layout.

  /** Returns the generator of the next layout; call where that has taken over. */
  Snowflake successor() {
    return Objects.requireNonNull(successor);
  }

  /**
   * Issues IDs of another layout from that window on, once the last grant of this one is used up.
   */
  Snowflake beginSuccessor(IdLayout layout, LeaseWindow window) {
    cutAt(window.notBeforeMillis());
    long now = time.currentTimeMillis();
    Snowflake next = new Snowflake(layout, drawClock, policy, 0, lease, window, now);
    next.follows = true;
    successor = next;
    return next;
  }

  /**
   * Hands over to the generator of the next layout if this one's is over: closes the word, and lets
   * the open scopes expire.
   *
   * @return the generator that issues from now on; null if this one still does
   */
  @Nullable Snowflake handOver() {
    Snowflake next = successor;
    if (next != null && !isClosed()) {
      long seen = format.tickOf(word.get());
      long tick = Math.max(seen, format.tickAt(confirmed(sinceEpoch(), seen)));
      if (grant.reaches(tick)) {
        return null;
      }
      long unusedNewest = closeWord();
      scopes.expireAll();
    }
    return next;
  }

  /** Returns whether a scope was ever opened. */
  boolean usesScopes() {
    Snowflake next = successor;
    return scopes.isUsed() || (next != null && next.usesScopes());
  }

  /** Returns the low mark, up to which the word is moved; see {@link LeasedGenerator#lowMillis}. */
  long lowMillis(long nowMillis) {
    drawClock = time; // readers of a watermark bound what is drawn late
    long now = nowMillis - format.epochMillis();
    if (lease != null) { // by more than the skew, the clock has gone back since the lease read it
      clock.see(now - lease.maxClockSkewMillis());
    }
    long tick = moveUpTo(now); // before the scopes are looked at
    return format.epochMillis() + scopes.lowTick(tick) * format.tickMillis();
  }

  // Drawing.

  /**
   * Draws up to {@code wanted} numbers of one tick, waiting if need be.
   *
   * @return the first ID; {@link TickFormat#claimed} returns how many. {@link #HANDED_OVER} if the
   *     successor must be asked
   */
  long claim(int wanted, long now) {
    return claim(wanted, now, true);
  }

  /**
   * Claims IDs as {@link #claim(int, long)} does; if it may not wait and has to, draws nothing and
   * returns {@link #NONE}.
   */
  long claim(int wanted, long now, boolean mayWait) {
    long waitedNanos = 0;
    while (true) {
      long seen = word.get();
      Grant held = grant;
      long seenTick = format.tickOf(seen);
      now = confirmed(now, seenTick);
      long tick = Math.max(seenTick, Math.max(format.tickAt(now), held.firstTick()));
      if (tick > held.lastTick()) { // before it is shifted: a later tick may not fit into a number
        if (handOver() != null) {
          return HANDED_OVER;
        }
        if (!mayWait) {
          requestGrant(tick);
          return NONE;
        }
        waitedNanos += awaitGrant(tick, waitedNanos);
        now = sinceEpoch();
        continue;
      }
      long first = tick == seenTick ? seen : format.number(tick, firstSequence(seen));
      long begin = tick * format.tickMillis();
      long due = begin - Math.max(maxLeadMillis, held.leadMillis());
      if (begin <= now) {
        now = clock.record(now);
      }
      if (begin > now) {
        now = clock.readBeforeWaitingFor(due, beginsWindow(held, tick, seen), mayWait);
        if (due > now && !mayWait) {
          clock.countWait(tick);
          return NONE;
        }
      }
      int count = format.room(first, wanted);
      if (!move(seen, first, first + count)) {
        continue;
      }
      if (due > now) {
        now = awaitOrGiveBack(due, first, count);
      }
      held = grant;
      if (held.permits(tick)) {
        return format.compose(held.workerBits(), first);
      }
      countUnused(count);
    }
  }

  /**
   * Returns whether a tick is the first of a window that begins by the clock: it does not follow
   * the tick before, and it is not the first of another layout, which may begin ahead.
   */
  private boolean beginsWindow(Grant held, long tick, long seen) {
    boolean apart = seen == initial ? !follows : tick > format.tickOf(seen) + 1;
    return apart && lease != null && tick == held.firstTick();
  }

  /** Reads the clock again if it is far ahead of the word: one wrong reading must not move that. */
  private long confirmed(long now, long seenTick) {
    return now - seenTick * format.tickMillis() > MAX_JUMP_MILLIS
        ? Math.min(now, sinceEpoch())
        : now;
  }

  private long awaitOrGiveBack(long due, long first, int count) {
    try {
      return clock.await(due);
    } catch (FirnException e) {
      giveBack(first, count);
      throw e;
    }
  }

  // Waiting for the lease.

  /**
   * Waits for the lease to reach that tick, and fails if it does not in time.
   *
   * @param before how long this call has waited for earlier ticks, in nanoseconds
   * @return how long it has waited for this one
   */
  private long awaitGrant(long tick, long before) {
    Lease lease = renewedFor(tick);
    long begin = time.nanoTime();
    long longest = Math.max(maxWaitMillis, lease.minWaitMillis());
    long left = TimeUnit.MILLISECONDS.toNanos(longest) - before;
    lease.await(() -> isClosed() || isGranted(), left);
    refuseClosed();
    long waited = time.nanoTime() - begin;
    if (!isGranted()) {
      if (Thread.currentThread().isInterrupted() && waited < left) {
        throw WaitInterruptedException.of(
            TimeUnit.NANOSECONDS.toMillis(left - waited), "a window of its lease");
      }
      if (waited >= left || lease.hasProblem()) {
        throw lease.expired();
      }
    }
    return waited;
  }

  /** Requests a window with that tick, and fails if the last attempt to get one did. */
  private void requestGrant(long tick) {
    Lease lease = renewedFor(tick);
    if (!isGranted() && lease.hasProblem()) {
      throw lease.expired();
    }
  }

  private Lease renewedFor(long tick) {
    refuseClosed();
    Lease lease = this.lease;
    if (lease == null || tick > format.lastTick()) {
      throw LayoutExpiredException.ofId(format.layout(), tick);
    }
    lease.renewNow();
    return lease;
  }

  /**
   * Returns whether the next tick is granted, by the clock as it is now: it may have been wrong.
   */
  private boolean isGranted() {
    if (successor != null) {
      return true;
    }
    return grant.reaches(Math.max(format.tickOf(word.get()), format.tickAt(sinceEpoch())));
  }

  /** Does nothing where another thread ended this generator to switch to the next layout. */
  void refuseClosed() {
    if (isClosed() && successor == null) {
      throw new GeneratorClosedException();
    }
  }
}
