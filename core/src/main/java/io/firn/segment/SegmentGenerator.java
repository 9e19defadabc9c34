package io.firn.segment;

import static io.firn.internal.Require.inRange;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.IdGenerator;
import io.firn.internal.PaddedCounter;
import io.firn.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Issues dense, growing numbers from a counter that processes share: 1, 2, 3 … The counter is asked
 * for segments of them, ahead of time and in the background, so that a caller has to wait for it
 * only when it is away for longer than the segments last. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * Segments form a chain, and one of them is drawn from. A caller draws by add-and-fetch on that
 * segment's word. A number behind the segment's end is never issued, and shows that every number of
 * the segment has been drawn; only then does a caller move on to the next segment, and does so for
 * all. So a caller that still holds an old segment draws nothing from it: once a number of one
 * segment is drawn, no number of those before it is any more. Every segment begins past the end of
 * the one before. Hence a call that begins after another has returned, on whatever thread, returns
 * a larger ID.
 *
 * <p>Moving on has the next segments fetched, until as many IDs as the {@linkplain
 * SegmentStats#distance distance} are there behind the one that is drawn from. The distance doubles
 * when callers have to wait, and halves when they don't: as many steps as it takes are requested at
 * once, so that a small step does not limit the rate. It does not double while the source gives
 * fewer IDs at once.
 *
 * <p>Threads that draw at the same time hand the word's cache line back and forth. As with {@link
 * io.firn.Snowflake}, a caller that detects another thread backs off for a moment after every
 * eighth number, which leaves the line to the other for a run of draws.
 *
 * <h2>What stays true when things go wrong</h2>
 *
 * IDs are unique as long as the source's counter never goes back. A segment that begins before the
 * end of one that this generator was given is refused, and so is everything the generator still
 * holds: others may be given the same numbers. A process that stops without {@link #close} leaves a
 * gap, of what it held and what was on its way.
 */
public final class SegmentGenerator implements IdGenerator, AutoCloseable {

  /** The largest step. */
  public static final long MAX_STEP = 1_000_000_000;

  /** The most IDs that can be kept ahead. */
  public static final long MAX_AHEAD = 1_000_000_000_000L;

  private static final VarHandle CURRENT;

  static {
    try {
      CURRENT =
          MethodHandles.lookup()
              .findVarHandle(SegmentGenerator.class, "current", SegmentNode.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SegmentBuffer buffer;
  private volatile SegmentNode current;

  SegmentGenerator(Builder settings) {
    SegmentNode root = SegmentNode.root();
    current = root;
    buffer = new SegmentBuffer(settings, root, () -> current, link -> current = link);
  }

  /**
   * Starts a generator of a key's numbers. A process has one for each key, which all its threads
   * share.
   *
   * @throws IllegalArgumentException if the source has no such keys
   */
  public static Builder builder(SegmentSource source, String key) {
    return new Builder(source, key);
  }

  /** Starts the fetch of the first segment. */
  SegmentGenerator started() {
    buffer.request();
    return this;
  }

  /**
   * Issues an ID that is larger than every ID that this generator issued before (with {@link
   * Builder#interleaved}: that is another one).
   *
   * @throws SegmentUnavailableException if all segments are used up, and no further one has come
   *     within the wait
   * @throws io.firn.WaitInterruptedException if the thread is interrupted and would have to wait
   * @throws io.firn.GeneratorClosedException if this generator is closed
   */
  @Override
  public long nextId() {
    SegmentNode link = current;
    long seen = link.peek();
    long index = link.draw();
    if (index >= link.count()) {
      return nextIdAfter(link);
    }
    if (index != seen) {
      PaddedCounter.backOff(index);
    }
    return link.idAt(index);
  }

  private long nextIdAfter(SegmentNode spent) {
    WaitBudget budget = buffer.newBudget();
    SegmentNode link = spent;
    while (true) { // each time another segment, which other callers have used up
      link = follow(link, budget);
      long index = link.draw();
      if (index < link.count()) {
        return link.idAt(index);
      }
    }
  }

  /**
   * Issues IDs as {@link #nextId} does, one reservation for the part of them that is left of a
   * segment. The IDs are increasing, and larger than every ID issued before. The call may wait anew
   * for each segment.
   */
  @Override
  public void nextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    WaitBudget budget = buffer.newBudget();
    SegmentNode link = current;
    for (int i = from; i < to; ) {
      int end = fill(link, target, i, to);
      if (end == i) {
        link = follow(link, budget);
      } else {
        budget.end();
      }
      i = end;
    }
  }

  /**
   * Issues IDs as {@link #nextIds} does, as many as there are. For a caller that must not wait,
   * such as an event loop.
   *
   * @return how many were issued, from {@code from} on; less than wanted if the rest has to wait
   *     for a segment, which is requested
   * @throws SegmentUnavailableException if none was issued, and the source refuses further ones or
   *     has failed for longer than the wait
   * @throws io.firn.GeneratorClosedException if none was issued, and this generator is closed
   */
  public int tryNextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    SegmentNode link = current;
    int i = from;
    while (i < to) {
      int end = fill(link, target, i, to);
      if (end == i) {
        SegmentNode now = current;
        SegmentNode next = now == link ? link.next() : now;
        if (next == null) {
          buffer.demand(link, i == from); // those that were drawn are the caller's
          break;
        }
        link = now == link ? moveOn(link, next) : next;
      }
      i = end;
    }
    return i - from;
  }

  /** Draws as many IDs of a segment as there are, and returns the end of them. */
  private static int fill(SegmentNode link, long[] target, int from, int to) {
    long index = link.draw(to - from);
    if (index >= link.count()) {
      return from;
    }
    int end = from + (int) Math.min(to - from, link.count() - index);
    long id = link.idAt(index);
    for (int i = from; i < end; i++) {
      target[i] = id;
      id += link.stride();
    }
    return end;
  }

  /**
   * Returns the segment that is drawn from after one that is used up, which is waited for if need
   * be.
   */
  private SegmentNode follow(SegmentNode spent, WaitBudget budget) {
    SegmentNode now = current;
    if (now != spent) {
      return now;
    }
    SegmentNode next = spent.next();
    return moveOn(spent, next == null ? buffer.await(spent, budget) : next);
  }

  private SegmentNode moveOn(SegmentNode spent, SegmentNode next) {
    // Volatile: a thread that finds the next link here draws after the last number of this one.
    if (CURRENT.compareAndSet(this, spent, next)) {
      buffer.request();
    }
    return next;
  }

  /** Returns how many IDs can be issued without waiting if no other thread draws. */
  public long left() {
    return buffer.left();
  }

  /** Returns counters and the current state. Not for the hot path. */
  public SegmentStats stats() {
    return buffer.stats();
  }

  /**
   * Returns what the last fetch failed with, if it did. A {@link SegmentRefusedException} needs an
   * operator, everything else ends by itself when the source is back.
   */
  public Optional<Throwable> lastFailure() {
    return buffer.lastFailure();
  }

  /**
   * Ends this generator: no ID is issued any more. What is left of its segments is given back,
   * unless later numbers were already granted. Waits for a fetch that is under way.
   */
  @Override
  public void close() {
    buffer.close();
  }

  @Override
  public String toString() {
    return "SegmentGenerator[" + buffer + "]";
  }

  /** Collects the settings of a {@link SegmentGenerator}. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private static final long DEFAULT_STEP = 1_000;
    private static final long DEFAULT_MAX_AHEAD = 10_000_000;
    private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(2);
    private static final Duration DEFAULT_MAX_FIRST_WAIT = Duration.ofSeconds(10);
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private record Step(long min, long max) {
      @Override
      public String toString() {
        return min == max ? "" + min : min + ".." + max;
      }
    }

    private final SegmentSource source;
    private final String key;
    private @Nullable Step step;
    private @Nullable Long maxAhead;
    private @Nullable Duration maxWait;
    private @Nullable SegmentFetcher fetcher;
    private @Nullable TimeSource time;
    private @Nullable Boolean interleaved;
    private boolean built;

    private Builder(SegmentSource source, String key) {
      source.requireKey(key);
      this.source = source;
      this.key = key;
    }

    /** Sets how many IDs a segment has, 1..10^9; 1,000 unless set. */
    public Builder step(long step) {
      this.step = once("step", this.step, steps(step, step));
      return this;
    }

    /**
     * Lets the step follow the traffic, as Leaf does: it begins with {@code min}, doubles when a
     * segment lasts less than 15 minutes, and halves when it lasts more than 30.
     *
     * @param min the smallest step, 1..10^9
     * @param max the largest step, min..10^9
     */
    public Builder adaptiveStep(long min, long max) {
      this.step = once("step", this.step, steps(min, max));
      return this;
    }

    /**
     * Sets how many IDs are kept at most behind the segment that is drawn from, from the largest
     * step to 10^12; 10 million, or the largest step, unless set. One step is kept there, and more
     * only when callers had to wait and the source gives as many at once. A process that crashes
     * loses up to twice as many.
     */
    public Builder maxAhead(long ids) {
      this.maxAhead = once("maxAhead", this.maxAhead, inRange("maxAhead", 1, MAX_AHEAD, ids));
      return this;
    }

    /**
     * Sets how long a call waits for its next ID when all segments are used up, 0..1 day in whole
     * milliseconds. Unless set, 2 s, and 10 s for the first segment, whose fetch loads drivers and
     * connects. With 0 it fails at once, while the segment is on its way.
     */
    public Builder maxWait(Duration maxWait) {
      this.maxWait =
          once("maxWait", this.maxWait, inRange("maxWait", Duration.ZERO, LONGEST_WAIT, maxWait));
      return this;
    }

    /**
     * Accepts segments whose numbers interleave with those of others: of several databases that are
     * asked in turn, each with its own remainder. IDs are then unique, and grow only within each of
     * these; a counter that went back is still noticed.
     */
    public Builder interleaved() {
      interleaved = once("interleaved", interleaved, true);
      return this;
    }

    /** Sets the fetcher; {@link SegmentFetcher#shared} unless set. */
    public Builder fetcher(SegmentFetcher fetcher) {
      this.fetcher = once("fetcher", this.fetcher, fetcher);
      return this;
    }

    /** Sets the clock; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Builds the generator, and has its first segment fetched in the background: what the source
     * reports is thrown by the first call.
     *
     * @throws IllegalArgumentException if a setting contradicts another
     */
    public SegmentGenerator build() {
      built = buildOnce(built);
      inRange("maxAhead", step().max(), MAX_AHEAD, maxAhead());
      return new SegmentGenerator(this).started();
    }

    private static Step steps(long min, long max) {
      inRange("step", 1, MAX_STEP, min);
      return new Step(min, inRange("step", min, MAX_STEP, max));
    }

    private Step step() {
      return Objects.requireNonNullElse(step, new Step(DEFAULT_STEP, DEFAULT_STEP));
    }

    private long maxAhead() {
      return maxAhead == null ? Math.max(DEFAULT_MAX_AHEAD, step().max()) : maxAhead;
    }

    private Duration maxWait() {
      return Objects.requireNonNullElse(maxWait, DEFAULT_MAX_WAIT);
    }

    SegmentSource source() {
      return source;
    }

    String key() {
      return key;
    }

    TimeSource time() {
      return time == null ? TimeSource.system() : time;
    }

    SegmentFetcher fetcher() {
      return fetcher == null ? SegmentFetcher.shared() : fetcher;
    }

    long maxWaitNanos() {
      return maxWait().toNanos();
    }

    long maxFirstWaitNanos() {
      return Objects.requireNonNullElse(maxWait, DEFAULT_MAX_FIRST_WAIT).toNanos();
    }

    boolean isInterleaved() {
      return interleaved != null;
    }

    StepPolicy stepPolicy() {
      return new StepPolicy(step().min(), step().max(), maxAhead(), time().nanoTime());
    }
  }
}
