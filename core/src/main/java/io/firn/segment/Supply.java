package io.firn.segment;

import io.firn.FirnException;
import io.firn.WaitInterruptedException;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps segments behind the one that a generator draws from: asks the source, adds what it gives to
 * the chain, lets hungry callers wait. Thread-safe.
 *
 * <p>At most one fetch of a generator is under way or planned, which {@code planned} tells; it
 * calls the source with the lock held, so that closing comes before or after it. A fetch that
 * failed is planned again, later each time. Whoever finds that something lacks asks for a fetch,
 * and after each the fetcher looks again itself, so no wish is lost between the two.
 */
final class Supply {

  private static final Logger LOG = System.getLogger("io.firn.segment");

  private static final long MIN_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Up to 1.28 s, less than callers wait unless they are told otherwise. */
  private static final int MAX_DOUBLINGS = 6;

  /** After so many failures in a row, about a minute of them, a key that nobody waits for rests. */
  private static final int MAX_UNWANTED_RETRIES = 64;

  /** The longest time that one park takes, whether or not somebody ends it. */
  private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SegmentSource source;
  private final String key;
  private final TimeSource time;
  private final SegmentFetcher fetcher;
  private final long maxWaitNanos;
  private final Pace pace;
  private final Lanes lanes;
  private final Supplier<Link> current;
  private final Consumer<Link> mover;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicBoolean planned = new AtomicBoolean();
  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong waits = new AtomicLong();
  private long waitsAtFailure;
  private volatile Link tail;
  private volatile boolean hungry;
  private volatile boolean closed;
  private volatile FetchHistory history = FetchHistory.NONE;

  /**
   * The supply of a generator.
   *
   * @param current tells which link is drawn from
   * @param mover has a later one drawn from
   */
  Supply(
      SegmentGeneratorBuilder settings, Link root, Supplier<Link> current, Consumer<Link> mover) {
    source = settings.source();
    key = settings.key();
    time = settings.time();
    fetcher = settings.fetcher();
    maxWaitNanos = settings.maxWaitNanos();
    pace = settings.pace();
    lanes = new Lanes(settings.isInterleaved());
    this.current = current;
    this.mover = mover;
    tail = root;
  }

  /** Has a segment fetched if one lacks. */
  void request() {
    if (isLacking() && planned.compareAndSet(false, true)) {
      fetcher.schedule(this::run, 0);
    }
  }

  private boolean isLacking() {
    return !closed && ahead() < pace.distance();
  }

  /** How many IDs there are behind the segment that is drawn from. */
  private long ahead() {
    return tail.end() - current.get().end();
  }

  private void run() {
    long retryNanos = MIN_RETRY_NANOS; // after an error
    lock.lock();
    try {
      retryNanos = fetch();
    } finally {
      lock.unlock();
      plan(retryNanos);
    }
  }

  private void plan(long retryNanos) {
    boolean rests = history.failuresInARow() > MAX_UNWANTED_RETRIES && !isWanted();
    if (retryNanos > 0 && !rests) {
      fetcher.schedule(this::run, retryNanos);
      return;
    }
    planned.set(false);
    if (retryNanos == 0 || isWanted()) {
      request();
    }
  }

  /** Whether a caller has waited since the last failure, or waits. */
  private boolean isWanted() {
    return waits.get() != waitsAtFailure || !waiting.isEmpty();
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
    boolean famine = hungry;
    boolean outage = history.failuresInARow() > 0;
    if (!outage) {
      hungry = false;
      pace.judge(time.nanoTime(), issued(), famine);
    }
    try {
      accept(source.next(key, pace.missing(ahead())));
    } catch (RuntimeException e) { // also a source's own: it is asked again
      return failed(e);
    }
    if (famine || outage) {
      hungry = false; // of this famine, or of an outage, which no distance would have bridged
    }
    wake();
    return 0;
  }

  private void accept(Segment segment) {
    long newest = lanes.newestBefore(segment);
    if (segment.first() <= newest) {
      throw CounterWentBackException.of(key, source, segment.first(), newest);
    }
    lanes.add(segment);
    pace.arrived(left());
    tail = tail.append(segment);
    history = history.succeeded(time.nanoTime());
  }

  private long failed(RuntimeException e) {
    if (e instanceof CounterWentBackException) {
      cut(); // others may be given the same
    }
    FetchHistory now = history.failed(e);
    history = now;
    if (now.failuresInARow() == 1) {
      tell(e, now);
    }
    waitsAtFailure = waits.get();
    wake();
    return retryNanos(now.failuresInARow());
  }

  private void tell(RuntimeException e, FetchHistory now) {
    Level level = e instanceof CounterWentBackException ? Level.ERROR : Level.WARNING;
    String text = "no segment for key " + this + ": " + now.troubleText().orElse("");
    if (e instanceof FirnException) {
      LOG.log(level, text);
    } else {
      LOG.log(level, text, e);
    }
  }

  /** Doubled each time, and some of it by chance: those who failed at once come apart. */
  private long retryNanos(int failures) {
    long longest = MIN_RETRY_NANOS << Math.min(failures - 1, MAX_DOUBLINGS);
    return longest / 2 + time.random(longest / 2);
  }

  /**
   * Lets nobody draw what is left, and begins the chain anew. The last link is ended first, so that
   * nobody moves on to it meanwhile.
   *
   * @return what was left, the last first
   */
  private Deque<Segment> cut() {
    Deque<Link> links = new ArrayDeque<>();
    for (Link link = current.get(); link != null; link = link.next()) {
      links.push(link);
    }
    Deque<Segment> rest = new ArrayDeque<>();
    long newest = -1;
    for (Link link : links) {
      long drawn = link.exhaust();
      link.rest(drawn).ifPresent(rest::add);
      if (newest < 0 && (drawn > 0 || link == links.getLast())) {
        newest = link.newest(drawn);
      }
    }
    long left = rest.stream().mapToLong(Segment::count).sum();
    tail = tail.appendRoot(newest, tail.end() - left);
    mover.accept(tail);
    return rest;
  }

  private void wake() {
    waiting.forEach(LockSupport::unpark);
  }

  Patience patience() {
    return new Patience(time, maxWaitNanos);
  }

  /** Waits for the link behind one that is used up. */
  Link await(Link spent, Patience patience) {
    if (patience.begin()) {
      waits.incrementAndGet();
    }
    if (!spent.isRoot()) {
      hungry = true;
    }
    Thread me = Thread.currentThread();
    waiting.add(me);
    try {
      request();
      while (true) {
        Link next = spent.next();
        if (next != null) {
          return next;
        }
        refuseHopelessWait(patience);
        time.parkNanos(Math.min(MAX_PARK_NANOS, patience.leftNanos()));
      }
    } finally {
      waiting.remove(me);
    }
  }

  private void refuseHopelessWait(Patience patience) {
    if (closed) {
      throw new IllegalStateException("generator: closed (expected: open)");
    }
    RuntimeException failure = history.trouble();
    if (failure instanceof SegmentRefusedException || patience.leftNanos() <= 0) {
      long waited = TimeUnit.NANOSECONDS.toMillis(patience.waitedNanos());
      throw SegmentUnavailableException.of(stats(), waited, failure);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw WaitInterruptedException.of(
          TimeUnit.NANOSECONDS.toMillis(patience.leftNanos()), "a segment of key " + key);
    }
  }

  private long issued() {
    Link now = current.get();
    return now.end() - now.left();
  }

  /** How many IDs can be issued without waiting. */
  long left() {
    Link now = current.get();
    return tail.end() - now.end() + now.left();
  }

  SegmentStats stats() {
    Link now = current.get();
    int segments = 0;
    for (Link link = now.next(); link != null; link = link.next()) {
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
        pace.step(),
        pace.distance(),
        waits.get(),
        past.fetches(),
        past.failures(),
        past.since(time.nanoTime()),
        past.troubleText());
  }

  /** Ends drawing for good, and gives back what is left. */
  void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        giveBack(cut());
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  private void giveBack(Deque<Segment> rest) {
    try {
      while (!rest.isEmpty() && source.giveBack(key, rest.peek())) {
        rest.remove();
      }
    } catch (RuntimeException e) { // closing must not fail: a gap is left
      LOG.log(Level.WARNING, () -> "left a gap in key " + key + " of " + source, e);
    }
  }

  @Override
  public String toString() {
    return key + " of " + source;
  }
}
