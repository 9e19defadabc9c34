package io.firn.segment;

import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.WaitInterruptedException;
import io.firn.internal.Lane;
import io.firn.internal.Waiters;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps segments behind the one that a generator draws from: requests them from the source, adds
 * them to the chain, and lets callers wait for them. Thread-safe.
 *
 * <p>At most one fetch of a generator is under way or planned: it is one task of the fetcher. A
 * fetch that failed runs again, later each time. The lock is not held while the source is called,
 * so that a source that hangs delays neither {@link #close} nor callers.
 */
final class SegmentBuffer {

  private static final Logger LOG = System.getLogger("io.firn.segment");

  private static final long MIN_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Up to 1.28 s, less than the default wait of callers. */
  private static final int MAX_DOUBLINGS = 6;

  /**
   * After this many failures in a row, about a minute, a key without waiting callers is not
   * fetched.
   */
  private static final int MAX_UNWANTED_RETRIES = 64;

  /** The maximum time that close waits for a source to take numbers back. */
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SegmentSource source;
  private final String key;
  private final TimeSource time;
  private final Lane lane;
  private final Lane.Task fetching;
  private final long maxWaitNanos;
  private final long maxFirstWaitNanos;
  private final StepPolicy policy;
  private final HighWaterMarks marks;
  private final Supplier<SegmentNode> current;
  private final Consumer<SegmentNode> mover;
  private final ReentrantLock lock = new ReentrantLock();
  private final Waiters closers = new Waiters();
  private final Deque<Segment> toGiveBack = new ArrayDeque<>();
  private final Waiters callers = new Waiters();
  private final AtomicLong waits = new AtomicLong();

  /** True if a caller has found nothing since the last fetch. */
  private volatile boolean wanted;

  private volatile SegmentNode tail;
  private volatile boolean callersWaited;
  private volatile boolean closed;
  private volatile boolean givenBack;
  private volatile FetchHistory history = FetchHistory.NONE;

  /**
   * Creates the buffer of a generator.
   *
   * @param current returns the link that is drawn from
   * @param mover makes the generator draw from a later link
   */
  SegmentBuffer(
      SegmentGenerator.Builder settings,
      SegmentNode root,
      Supplier<SegmentNode> current,
      Consumer<SegmentNode> mover) {
    source = settings.source();
    key = settings.key();
    time = settings.time();
    lane = settings.fetcher().lane(source);
    fetching = lane.task(this::run);
    maxWaitNanos = settings.maxWaitNanos();
    maxFirstWaitNanos = settings.maxFirstWaitNanos();
    policy = settings.stepPolicy();
    marks = new HighWaterMarks(settings.isInterleaved());
    this.current = current;
    this.mover = mover;
    tail = root;
  }

  /** Requests a segment if one lacks. */
  void request() {
    if (isLacking()) {
      fetching.runUnlessPlanned();
    }
  }

  private boolean isLacking() {
    return !closed && ahead() < policy.distance();
  }

  /** Returns how many IDs there are behind the segment that is drawn from. */
  private long ahead() {
    return tail.end() - current.get().end();
  }

  /** Fetches a segment, or ends; returns in how many nanoseconds to run again. */
  private long run() {
    long retryNanos = fetch();
    if (closed) {
      giveBack();
      return -1;
    }
    boolean stopsRetrying = history.failuresInARow() > MAX_UNWANTED_RETRIES && !isWanted();
    if (retryNanos > 0 && !stopsRetrying) {
      return retryNanos;
    }
    return isLacking() && !stopsRetrying ? 0 : -1;
  }

  private boolean isWanted() {
    return wanted || !callers.isEmpty();
  }

  /**
   * Asks the source once, if something lacks.
   *
   * @return 0, or after how many nanoseconds to try again
   */
  private long fetch() {
    if (!isLacking()) {
      return 0;
    }
    boolean callersWaitedBefore = callersWaited;
    boolean outage = history.failuresInARow() > 0;
    if (!outage) {
      callersWaited = false;
      policy.adapt(time.nanoTime(), issued(), callersWaitedBefore);
    }
    try {
      long asked = policy.missing(ahead());
      accept(source.next(key, asked), asked);
    } catch (RuntimeException e) { // also a source's own: it is asked again
      return failed(e);
    } catch (Throwable e) { // the fetcher reports it, and runs this again
      fetching.runWithin(failed(e));
      throw e;
    }
    if (callersWaitedBefore || outage) {
      callersWaited = false; // no distance would have bridged an outage
    }
    wanted = false;
    callers.wake();
    if (outage) {
      LOG.log(Level.INFO, () -> "fetching segments for key " + this + " works again");
    }
    return 0;
  }

  private void accept(Segment segment, long asked) {
    lock.lock();
    try {
      if (closed) {
        toGiveBack.push(segment);
        return;
      }
      long newest = marks.newestBefore(segment);
      if (segment.first() <= newest) {
        throw CounterWentBackException.of(key, source, segment.first(), newest);
      }
      marks.add(segment);
      policy.arrived(asked, segment.count(), left());
      tail = tail.append(segment);
      history = history.succeeded(time.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  private long failed(Throwable e) {
    if (e instanceof CounterWentBackException) {
      cut(); // others may be given the same
    }
    FetchHistory now = history.failed(e, time.nanoTime());
    boolean worse = e instanceof CounterWentBackException && !history.counterWentBack();
    history = now;
    if (now.failuresInARow() == 1 || worse) {
      log(e, now);
    }
    wanted = false;
    callers.wake();
    return retryNanos(now.failuresInARow());
  }

  private void log(Throwable e, FetchHistory now) {
    Level level = e instanceof CounterWentBackException ? Level.ERROR : Level.WARNING;
    String text = "no segment for key " + this + ": " + now.lastErrorText().orElse("");
    if (e instanceof FirnException) {
      LOG.log(level, text);
    } else {
      LOG.log(level, text, e);
    }
  }

  /**
   * Returns a pause that doubles with each failure, with random jitter, so that processes that
   * failed together spread out.
   */
  private long retryNanos(int failures) {
    long longest = MIN_RETRY_NANOS << Math.min(failures - 1, MAX_DOUBLINGS);
    return longest / 2 + time.random(longest / 2);
  }

  /**
   * Ends what is left, so that no thread draws it, and begins a new chain. The last link is ended
   * first, so that no thread moves on to it meanwhile.
   *
   * @return what was left, the last first
   */
  private Deque<Segment> cut() {
    lock.lock();
    try {
      return cutLocked();
    } finally {
      lock.unlock();
    }
  }

  private Deque<Segment> cutLocked() {
    Deque<SegmentNode> links = new ArrayDeque<>();
    for (SegmentNode link = current.get(); link != null; link = link.next()) {
      links.push(link);
    }
    Deque<Segment> left = new ArrayDeque<>();
    long newest = -1;
    for (SegmentNode link : links) {
      long drawn = link.exhaust();
      link.rest(drawn).ifPresent(left::add);
      if (newest < 0 && (drawn > 0 || link == links.getLast())) {
        newest = link.newest(drawn);
      }
    }
    long count = left.stream().mapToLong(Segment::count).sum();
    tail = tail.appendRoot(newest, tail.end() - count);
    mover.accept(tail);
    return left;
  }

  WaitBudget newBudget() {
    return new WaitBudget(time);
  }

  /** Waits for the link behind one that is used up. */
  SegmentNode await(SegmentNode spent, WaitBudget budget) {
    if (budget.begin(history.fetches() == 0 ? maxFirstWaitNanos : maxWaitNanos)) {
      waits.incrementAndGet();
    }
    boolean unused = callers.await(() -> isThere(spent), time, budget.leftNanos());
    SegmentNode next = spent.next();
    if (next == null) {
      throw refusal(budget.waitedNanos(), budget.leftNanos());
    }
    return next;
  }

  /** Requests the link behind one that is used up, and returns whether a wait for it is over. */
  private boolean isThere(SegmentNode spent) {
    wanted = true;
    if (!spent.isRoot()) {
      callersWaited = true;
    }
    request(); // again after each park: a thread may not have started before
    return spent.next() != null || isHopeless();
  }

  /**
   * Requests the link behind one that is used up. Does not wait.
   *
   * @param fails whether to fail where waiting for it would not help
   */
  void demand(SegmentNode spent, boolean fails) {
    if (!wanted) { // else one was counted since the last fetch
      waits.incrementAndGet();
    }
    if (isThere(spent) && fails && spent.next() == null) {
      throw refusal(0, 0);
    }
  }

  private boolean isHopeless() {
    return closed
        || history.lastError() instanceof SegmentRefusedException
        || history.failingNanos(time.nanoTime()) >= maxWaitNanos;
  }

  private FirnException refusal(long waitedNanos, long leftNanos) {
    if (closed) {
      return new GeneratorClosedException();
    }
    if (leftNanos > 0 && Thread.currentThread().isInterrupted() && !isHopeless()) {
      return WaitInterruptedException.of(
          TimeUnit.NANOSECONDS.toMillis(leftNanos), "a segment of key " + key);
    }
    FetchHistory past = history;
    return SegmentUnavailableException.of(stats(), outcome(past, waitedNanos), past.lastError());
  }

  private String outcome(FetchHistory past, long waitedNanos) {
    long waitedMillis = TimeUnit.NANOSECONDS.toMillis(waitedNanos);
    if (waitedMillis > 0) {
      return "gave no segment within " + waitedMillis + " ms";
    }
    if (past.lastError() instanceof SegmentRefusedException) {
      return "refuses to give a segment";
    }
    long failingNanos = past.failingNanos(time.nanoTime());
    return (failingNanos < 0
            ? "gave no segment yet"
            : "has failed for " + TimeUnit.NANOSECONDS.toMillis(failingNanos) + " ms")
        + ", and the call did not wait (maxWait is "
        + TimeUnit.NANOSECONDS.toMillis(maxWaitNanos)
        + " ms)";
  }

  private long issued() {
    SegmentNode now = current.get();
    return now.end() - now.left();
  }

  /** Returns how many IDs can be issued without waiting. */
  long left() {
    SegmentNode now = current.get();
    return tail.end() - now.end() + now.left();
  }

  Optional<Throwable> lastFailure() {
    return Optional.ofNullable(history.lastError());
  }

  SegmentStats stats() {
    SegmentNode now = current.get();
    int segments = 0;
    for (SegmentNode link = now.next(); link != null; link = link.next()) {
      segments++;
    }
    FetchHistory past = history;
    long newest = now.newest();
    return new SegmentStats(
        key,
        source.toString(),
        newest < 0 ? OptionalLong.empty() : OptionalLong.of(newest),
        issued(),
        left(),
        segments,
        policy.step(),
        policy.distance(),
        waits.get(),
        past.fetches(),
        past.failures(),
        past.since(time.nanoTime()),
        past.lastErrorText());
  }

  /**
   * Ends drawing permanently, and gives back what is left. Waits for that for a limited time: the
   * source may hang, and a gap is allowed.
   */
  void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        toGiveBack.addAll(cutLocked());
      }
    } finally {
      lock.unlock();
    }
    callers.wake();
    if (lane.isManual()) {
      fetching.runHere();
      return;
    }
    fetching.runWithin(0);
    if (!closers.awaitUninterruptibly(() -> givenBack, lane.time(), MAX_CLOSE_NANOS)) {
      LOG.log(Level.WARNING, () -> "could not give back the rest of key " + this);
    }
  }

  private void giveBack() {
    Deque<Segment> left;
    lock.lock();
    try {
      left = new ArrayDeque<>(toGiveBack);
      toGiveBack.clear();
    } finally {
      lock.unlock();
    }
    try {
      while (!left.isEmpty() && source.giveBack(key, left.peek())) {
        left.remove();
      }
    } catch (RuntimeException e) { // closing must not fail: a gap is left
      LOG.log(Level.WARNING, () -> "left a gap in key " + key + " of " + source, e);
    } finally {
      givenBack = true;
      closers.wake();
    }
  }

  @Override
  public String toString() {
    return key + " of " + source;
  }
}
