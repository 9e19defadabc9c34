package io.firn.segment;

import io.firn.internal.Lane;
import io.firn.internal.Lanes;
import io.firn.time.TimeSource;

/**
 * Fetches segments in the background, for any number of generators. One fetcher serves a process.
 * Each source has up to {@value #THREADS_PER_SOURCE} daemon threads of its own, so that a source
 * that hangs delays no other; all {@link RegisterSegments} of one store share them. A thread ends
 * after a minute without work. Thread-safe.
 */
public final class SegmentFetcher {

  /** The maximum number of keys of a source that are fetched at once. */
  public static final int THREADS_PER_SOURCE = Lane.MAX_THREADS;

  private final Lanes lanes;

  private SegmentFetcher(Lanes lanes) {
    this.lanes = lanes;
  }

  private static final class Shared {
    static final SegmentFetcher FETCHER = new SegmentFetcher(Lanes.ofThreads("firn-segments"));
  }

  /** Returns the fetcher of this process; a thread starts when there is something to do. */
  public static SegmentFetcher shared() {
    return Shared.FETCHER;
  }

  /**
   * Returns a fetcher without threads, for a simulated clock: the caller runs it by {@link
   * #runDue}.
   */
  public static SegmentFetcher manual(TimeSource time) {
    return new SegmentFetcher(Lanes.manual(time));
  }

  /** Returns the lane of a source; sources over registers share that of their store. */
  Lane lane(SegmentSource source) {
    return lanes.of(source instanceof RegisterSegments registers ? registers.store() : source);
  }

  /**
   * Fetches every segment that is due, of a fetcher without threads.
   *
   * @return in how many nanoseconds the next one is due; at most a minute
   */
  public long runDue() {
    return lanes.runDue();
  }
}
