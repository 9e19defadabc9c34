package io.firn;

import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.internal.PaddedCounter;
import io.firn.lease.Lease;
import io.firn.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The word of a {@link Snowflake}, the grant that its numbers are drawn under, and all of drawing
 * that is not the fast path: moving the word on, and waiting for the clock or for the lease.
 */
class SnowflakeWord {

  /** A word without numbers to draw: nothing is granted where it stands. */
  private static final long CLOSED = Long.MIN_VALUE;

  /** A clock that moves on by more is read once more. */
  static final long MAX_JUMP_MILLIS = 1_000;

  /** Stands for an ID where none can be issued without waiting. */
  static final long NONE = -1;

  /** Stands for an ID where the successor issues it. */
  static final long HANDED_OVER = -2;

  final TickFormat format;
  final TimeSource time;

  /** Says whether the newest tick goes on; may be late. {@link #time} says which one is next. */
  volatile TimeSource drawClock;

  final GeneratorClock clock;
  final long maxLeadMillis;
  final PaddedCounter word;
  final @Nullable Lease lease;
  final OpenScopes scopes;
  private final ClockPolicy policy;
  private final long maxWaitMillis;
  private final SequenceStart start;
  private final long initial;
  private final AtomicLong rotation = new AtomicLong(1);
  private final AtomicLong unused = new AtomicLong();

  /** Guards the end of the word, cuts of its grant, and numbers that are given back. */
  private final ReentrantLock changing = new ReentrantLock();

  /** No number before it is given back; guarded by {@link #changing}. */
  private long lowestReturnable = Long.MIN_VALUE;

  /** True if this follows the generator of another layout: its first window begins ahead. */
  boolean follows;

  volatile Grant grant;

  /** Issues IDs of another layout once the last grant of this one is used up. */
  volatile @Nullable Snowflake successor;

  private volatile boolean closed;

  /** The newest number of a closed word; guarded by {@link #changing}. */
  private long lastDrawn;

  SnowflakeWord(
      IdLayout layout,
      TimeSource drawClock,
      ClockPolicy policy,
      long workerBits,
      @Nullable Lease lease,
      @Nullable LeaseWindow window,
      long nowMillis) {
    this.drawClock = drawClock;
    time = drawClock.precise();
    this.policy = policy;
    maxLeadMillis = policy.maxLead().toMillis();
    maxWaitMillis = policy.maxWait().toMillis();
    this.lease = lease;
    scopes = new OpenScopes(time, lease == null ? unused -> {} : lease::logWarning);
    format = TickFormat.of(layout);
    start = policy.sequenceStart();
    long now = nowMillis - format.epochMillis();
    clock = new GeneratorClock(time, format, policy, now);
    grant =
        window == null
            ? new Grant(workerBits, format.tickAt(now + maxLeadMillis) + 1, format.lastTick(), 0)
            : format.grantOf(window);
    initial = format.number(grant.firstTick(), firstOfAll());
    word = new PaddedCounter(initial);
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
    if (next != null && !closed) {
      long seen = format.tickOf(word.get());
      long tick = Math.max(seen, format.tickAt(confirmed(sinceEpoch(), seen)));
      Grant last = grant;
      if (Math.max(tick, last.firstTick()) <= last.lastTick()) {
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

  // Windows of the lease.

  /**
   * Permits the numbers of a window, and of no other.
   *
   * @param continues whether it has the worker and the beginning of the window before
   */
  void permit(LeaseWindow window, boolean continues) {
    clock.record(sinceEpoch()); // the lease has read it, and no lead is left that it made good
    Grant held = grant;
    Grant wanted = format.grantOf(window);
    grant = wanted.from(continues ? held.firstTick() : cutOff(held, wanted));
  }

  /** Ends the held grant before a tick that is not drawn yet, and returns that tick. */
  private long cutOff(Grant held, Grant wanted) {
    long tick = wanted.firstTick();
    do {
      tick = Math.max(tick, newestTick() + 1);
      grant = held.until(tick - 1);
    } while (newestTick() >= tick);
    return tick;
  }

  private long newestTick() {
    return (word.get() - 1) >> format.sequenceBits();
  }

  /** Ends the grant at a time, if it does not end before. */
  void cutAt(long millis) {
    changing.lock();
    try {
      grant = grant.until(format.tickAt(millis - format.epochMillis()) - 1);
    } finally {
      changing.unlock();
    }
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

  // What was drawn.

  /** Returns whether a number was drawn. */
  boolean hasDrawn() {
    return end() != initial;
  }

  /**
   * Returns the end of the newest tick that was drawn, since 1970; also of a closed word. If none
   * was drawn, that is the tick before the first, wherever the sequence of the first begins.
   */
  long newestMillis() {
    long end = end();
    long next = end == initial ? format.number(format.tickOf(initial), 0) : end;
    return format.endMillis(next - 1);
  }

  /** Returns how many numbers were drawn and used; approximate while another thread moves on. */
  long issued() {
    while (true) { // again only if another thread passed over numbers meanwhile
      long before = unused.get();
      long end = end();
      if (unused.get() == before) {
        return Math.max(0, end - initial - before);
      }
    }
  }

  /** Counts numbers that no ID is made of: passed over, dropped, or left of a handle's block. */
  void countUnused(long count) {
    unused.addAndGet(count);
  }

  /** Returns the end of the numbers that were drawn, also after the last draw. */
  long end() {
    long end = word.get();
    return isOfClosedWord(end) ? closeWord() + 1 : end;
  }

  /** Returns whether a number is of a closed word, and not just past the end of the layout. */
  boolean isOfClosedWord(long number) {
    return number < initial && closed;
  }

  /**
   * Ends drawing, once, and returns the newest number that was drawn. The grant goes first: a
   * caller that sees the closed word then sees that nothing is granted, also where the closed word
   * has a tick behind the clock's, as in a layout without a sequence.
   */
  long closeWord() {
    changing.lock();
    try {
      if (!closed) {
        closed = true;
        grant = Grant.NONE;
        long before = word.getAndSet(CLOSED);
        lastDrawn = before < 0 ? Long.MAX_VALUE : before - 1; // it overflows at a layout's very end
      }
      return lastDrawn;
    } finally {
      changing.unlock();
    }
  }

  // Drawing.

  /** Returns a time that may be late, in milliseconds since the epoch. */
  final long drawMillis() {
    return format.sinceEpoch(drawClock);
  }

  /** Reads the clock, in milliseconds since the epoch. */
  long sinceEpoch() {
    return format.sinceEpoch(time);
  }

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
        boolean ahead = follows && seen == initial;
        boolean begins = !ahead && lease != null && tick == held.firstTick();
        boolean windowBegins = begins && (tick > seenTick + 1 || seen == initial);
        now = clock.readBeforeWaitingFor(due, windowBegins, mayWait);
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

  /** Reads the clock again if it is far ahead of the word: one wrong reading must not move that. */
  private long confirmed(long now, long seenTick) {
    return now - seenTick * format.tickMillis() > MAX_JUMP_MILLIS
        ? Math.min(now, sinceEpoch())
        : now;
  }

  /** Moves the word to {@code next}, over the numbers before {@code first}, which stay unused. */
  private boolean move(long seen, long first, long next) {
    countUnused(first - seen);
    boolean moved = word.compareAndSet(seen, next);
    if (!moved) {
      countUnused(seen - first);
    } else if (first != seen && seen != initial && start.rotates()) {
      rotation.incrementAndGet();
    }
    return moved;
  }

  /** Returns the word. No smaller number is drawn from now on. */
  long pinnedWord() {
    changing.lock();
    try {
      long seen = word.get();
      lowestReturnable = Math.max(lowestReturnable, seen);
      return seen;
    } finally {
      changing.unlock();
    }
  }

  /** Moves the word to a time inside the grant, if it is behind it, and returns its tick. */
  private long moveUpTo(long millis) {
    while (true) { // again only if another thread drew meanwhile
      long seen = pinnedWord();
      Grant held = grant;
      long last = Math.min(held.lastTick() + 1, format.lastTick());
      long tick = Math.min(format.tickAt(millis), last);
      if (isOfClosedWord(seen) || tick <= format.tickOf(seen)) {
        return format.tickOf(isOfClosedWord(seen) ? closeWord() : seen);
      }
      long first = format.number(tick, firstSequence(seen));
      if (move(seen, first, first)) {
        return tick;
      }
    }
  }

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
    lease.await(() -> closed || isGranted(), left);
    refuseClosed();
    long waited = time.nanoTime() - begin;
    if (!isGranted()) {
      if (Thread.currentThread().isInterrupted() && waited < left) {
        throw WaitInterruptedException.of(
            TimeUnit.NANOSECONDS.toMillis(left - waited), "a window of its lease");
      }
      if (waited >= left || lease.lastError().isPresent()) {
        throw lease.expired();
      }
    }
    return waited;
  }

  /** Requests a window with that tick, and fails if the last attempt to get one did. */
  private void requestGrant(long tick) {
    Lease lease = renewedFor(tick);
    if (!isGranted() && lease.lastError().isPresent()) {
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
    Grant now = grant;
    long tick = Math.max(format.tickOf(word.get()), format.tickAt(sinceEpoch()));
    return Math.max(tick, now.firstTick()) <= now.lastTick();
  }

  /** Does nothing where another thread ended this generator to switch to the next layout. */
  void refuseClosed() {
    if (closed && successor == null) {
      throw new GeneratorClosedException();
    }
  }

  /**
   * Returns the sequence of the very first number: a random one where the sequence continues from
   * it.
   */
  private long firstOfAll() {
    if (start.continues()) {
      return time.random(format.sequencesPerTick());
    }
    return start.isRandom() ? time.random(start.bound()) : 0;
  }

  private long firstSequence(long seen) {
    if (start.continues()) {
      return format.sequenceOf(seen);
    }
    if (start.isRandom()) {
      return time.random(start.bound());
    }
    return start.rotates() && seen != initial ? rotation.get() % start.bound() : 0;
  }

  private long awaitOrGiveBack(long due, long first, int count) {
    try {
      return clock.await(due);
    } catch (FirnException e) {
      giveBack(first, count);
      throw e;
    }
  }

  /** Gives numbers back, unless others were drawn after them, or a reader relies on them. */
  private void giveBack(long first, int count) {
    changing.lock();
    try {
      if (first < lowestReturnable || !word.compareAndSet(first + count, first)) {
        countUnused(count);
      }
    } finally {
      changing.unlock();
    }
  }
}
