package io.firn.stress;

import io.firn.segment.Segment;
import io.firn.segment.SegmentFetcher;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import java.time.Duration;

/** A counter that begins with 1, and gives less than it is asked for. */
final class StressCounter implements SegmentSource {

  private final long most;
  private final SegmentFetcher fetcher = SegmentFetcher.manual(StressClock.still());
  private long next = 1;
  private long taken;
  private long givenBack;

  private StressCounter(long most) {
    this.most = most;
  }

  /** A counter that hands out the given number of numbers at once. */
  static StressCounter giving(long most) {
    return new StressCounter(most);
  }

  /** Starts a generator whose first segments hold that many IDs, and a few more. */
  SegmentGenerator generator(long ids) {
    SegmentGenerator generator =
        SegmentGenerator.builder(this, "stress")
            .step(ids)
            .maxWait(Duration.ZERO)
            .timeSource(StressClock.still())
            .fetcher(fetcher)
            .build();
    fetch();
    return generator;
  }

  /** Fetches what lacks; for one thread. */
  void fetch() {
    fetcher.runDue();
  }

  @Override
  public Segment next(String key, long count) {
    Segment segment = Segment.of(next, Math.min(most, count));
    next += segment.count();
    taken += segment.count();
    return segment;
  }

  @Override
  public boolean giveBack(String key, Segment rest) {
    givenBack += rest.count();
    return true;
  }

  /** Returns how many numbers were given and not taken back. */
  long kept() {
    return taken - givenBack;
  }
}
