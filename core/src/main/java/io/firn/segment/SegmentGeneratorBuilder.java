package io.firn.segment;

import static io.firn.internal.Expected.once;
import static io.firn.internal.Expected.within;

import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link SegmentGenerator}. Each can be set once. Not thread-safe. */
public final class SegmentGeneratorBuilder {

  /** The largest step. */
  public static final long MAX_STEP = 1_000_000_000;

  /** The most IDs that can be kept ahead. */
  public static final long MAX_AHEAD = 1_000_000_000_000L;

  private static final long DEFAULT_STEP = 1_000;
  private static final long DEFAULT_MAX_AHEAD = 10_000_000;
  private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(2);
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
  private boolean interleaved;

  SegmentGeneratorBuilder(SegmentSource source, String key) {
    this.source = source;
    this.key = key;
  }

  /** How many IDs a segment has, 1..10^9; 1,000 unless set. */
  public SegmentGeneratorBuilder step(long step) {
    this.step = once("step", this.step, new Step(step, step));
    return this;
  }

  /**
   * Lets the step follow the traffic, as Leaf does: it begins with {@code min}, doubles when a
   * segment lasts less than 15 minutes, and halves when it lasts more than 30.
   *
   * @param min the smallest step, 1..10^9
   * @param max the largest step, min..10^9
   */
  public SegmentGeneratorBuilder adaptiveStep(long min, long max) {
    this.step = once("step", this.step, new Step(min, max));
    return this;
  }

  /**
   * How many IDs are kept at most behind the segment that is drawn from, from the largest step to
   * 10^12; 10 million, or the largest step, unless set. One step is kept there, and more only when
   * callers had to wait. A process that crashes loses up to twice as many.
   */
  public SegmentGeneratorBuilder maxAhead(long ids) {
    this.maxAhead = once("maxAhead", this.maxAhead, ids);
    return this;
  }

  /**
   * How long a call waits for a segment when all are used up, 0..1 day in whole milliseconds; 2 s
   * unless set. With 0 it fails at once, while the segment is on its way.
   */
  public SegmentGeneratorBuilder maxWait(Duration maxWait) {
    this.maxWait = once("maxWait", this.maxWait, maxWait);
    return this;
  }

  /**
   * Accepts segments whose numbers lie among those of others: of several databases that are asked
   * in turn, each with its own remainder. IDs are then unique, and grow only within each of these;
   * a counter that went back is noticed all the same.
   */
  public SegmentGeneratorBuilder interleaved() {
    interleaved = true;
    return this;
  }

  /** Who fetches; {@link SegmentFetcher#shared} unless set. */
  public SegmentGeneratorBuilder fetcher(SegmentFetcher fetcher) {
    this.fetcher = once("fetcher", this.fetcher, fetcher);
    return this;
  }

  /** Sets the clock; the system's unless set. */
  public SegmentGeneratorBuilder timeSource(TimeSource time) {
    this.time = once("timeSource", this.time, time);
    return this;
  }

  /**
   * Builds the generator, and has its first segment fetched in the background: what the source says
   * is told by the first call.
   *
   * @throws IllegalArgumentException if a setting is out of its range or contradicts another, or
   *     the source has no such keys
   */
  public SegmentGenerator build() {
    source.requireKey(key);
    checkStep();
    within("maxAhead", step().max(), MAX_AHEAD, maxAhead());
    within("maxWait", Duration.ZERO, LONGEST_WAIT, maxWait());
    return new SegmentGenerator(this).started();
  }

  private void checkStep() {
    within("step", 1, MAX_STEP, step().min());
    within("step", step().min(), MAX_STEP, step().max());
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

  boolean isInterleaved() {
    return interleaved;
  }

  Pace pace() {
    return new Pace(step().min(), step().max(), maxAhead(), time().nanoTime());
  }
}
