package io.firn;

import io.firn.internal.LeaseWindow;
import io.firn.internal.PaddedCounter;
import io.firn.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The word of a {@link Snowflake}, and the grant that its numbers are drawn under: how it moves on
 * and ends, and what was drawn.
 */
class SnowflakeWord {

  /** A word without numbers to draw: nothing is granted where it stands. */
  private static final long CLOSED = Long.MIN_VALUE;

  /** A clock that moves on by more is read once more. */
  static final long MAX_JUMP_MILLIS = 1_000;

  final TickFormat format;
  final TimeSource time;

  /** Says whether the newest tick goes on; may be late. {@link #time} says which one is next. */
  volatile TimeSource drawClock;

  final GeneratorClock clock;
  final long maxLeadMillis;
  final PaddedCounter word;
  final long initial;
  private final SequenceStart start;
  private final AtomicLong rotation = new AtomicLong(1);
  private final AtomicLong unused = new AtomicLong();

  /** Guards the grant, the end of the word, and numbers that are given back. */
  private final ReentrantLock changing = new ReentrantLock();

  /** No number before it is given back; guarded by {@link #changing}. */
  private long lowestReturnable = Long.MIN_VALUE;

  /** Written under {@link #changing}; {@link Grant#NONE} once the word is closed. */
  volatile Grant grant;

  private volatile boolean closed;

  /** The newest number of a closed word; guarded by {@link #changing}. */
  private long lastDrawn;

  SnowflakeWord(
      IdLayout layout,
      TimeSource drawClock,
      ClockPolicy policy,
      long workerBits,
      @Nullable LeaseWindow window,
      long nowMillis) {
    this.drawClock = drawClock;
    time = drawClock.precise();
    maxLeadMillis = policy.maxLead().toMillis();
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

  // Windows of the lease.

  /**
   * Permits the numbers of a window, and of no other. A closed word stays closed.
   *
   * @param continues whether it has the worker and the beginning of the window before
   */
  void permit(LeaseWindow window, boolean continues) {
    clock.record(sinceEpoch()); // the lease has read it, and no lead is left that it made good
    changing.lock();
    try {
      if (!closed) {
        Grant held = grant;
        Grant wanted = format.grantOf(window);
        grant = wanted.from(continues ? held.firstTick() : cutOff(held, wanted));
      }
    } finally {
      changing.unlock();
    }
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

  /** Returns whether drawing has ended. */
  boolean isClosed() {
    return closed;
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

  // Moving.

  /** Returns a time that may be late, in milliseconds since the epoch. */
  final long drawMillis() {
    return format.sinceEpoch(drawClock);
  }

  /** Reads the clock, in milliseconds since the epoch. */
  long sinceEpoch() {
    return format.sinceEpoch(time);
  }

  /** Moves the word to {@code next}, over the numbers before {@code first}, which stay unused. */
  boolean move(long seen, long first, long next) {
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
  long moveUpTo(long millis) {
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
   * Returns the sequence of the very first number: a random one where the sequence continues from
   * it.
   */
  private long firstOfAll() {
    if (start.continues()) {
      return time.random(format.sequencesPerTick());
    }
    return start.isRandom() ? time.random(start.bound()) : 0;
  }

  long firstSequence(long seen) {
    if (start.continues()) {
      return format.sequenceOf(seen);
    }
    if (start.isRandom()) {
      return time.random(start.bound());
    }
    return start.rotates() && seen != initial ? rotation.get() % start.bound() : 0;
  }

  /** Gives numbers back, unless others were drawn after them, or a reader relies on them. */
  void giveBack(long first, int count) {
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
