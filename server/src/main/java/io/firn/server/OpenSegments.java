package io.firn.server;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.segment.SegmentStats;
import io.firn.server.config.SegmentConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A namespace of counted numbers. */
final class OpenSegments extends OpenNamespace {

  /**
   * The number of IDs that a client is given that counts itself, where neither side says how many.
   */
  private static final long CLIENT_STEP = 1_000;

  private final SegmentConfig config;
  private final SegmentGenerator generator;
  private final SegmentSource source;

  /** The number of segments that clients which count themselves have requested. */
  private final AtomicLong taken = new AtomicLong();

  /** The number of requests that found too few numbers: they waited, or were refused. */
  private final LongAdder waits = new LongAdder();

  /**
   * Creates a namespace that draws from that generator.
   *
   * @param source what the generator draws from, which is closed at the end
   */
  OpenSegments(
      String name,
      SegmentConfig config,
      SegmentGenerator generator,
      SegmentSource source,
      Waiting waiting) {
    super(name, waiting);
    this.config = config;
    this.generator = generator;
    this.source = source;
  }

  @Override
  long uses() {
    return generator.stats().issued() + taken.get();
  }

  @Override
  @Nullable CompletableFuture<long[]> issue(long[] ids, int count) {
    boolean issued = false;
    try {
      CompletableFuture<long[]> later = super.issue(ids, count);
      issued = later == null;
      return later;
    } finally {
      if (!issued) {
        waits.increment();
      }
    }
  }

  @Override
  int tryNextIds(long[] ids, int from, int to) {
    return generator.tryNextIds(ids, from, to);
  }

  /**
   * Takes a segment that this server does not issue from, for a client that counts itself. May
   * wait.
   */
  Segment nextSegment() {
    taken.incrementAndGet();
    return source.next(config.key().orElse(name()), config.step().orElse(CLIENT_STEP));
  }

  @Override
  long maxWaitNanos(long issued) {
    return longestWaitNanos(config);
  }

  @Override
  public SegmentStatus status() {
    return new SegmentStatus(name(), config, counted(generator.stats()));
  }

  /** Returns the figures of the generator, whose waits are turns of the queue, with requests. */
  private SegmentStats counted(SegmentStats stats) {
    return new SegmentStats(
        stats.key(),
        stats.source(),
        stats.newest(),
        stats.issued(),
        stats.left(),
        stats.segmentsAhead(),
        stats.step(),
        stats.distance(),
        waits.sum(),
        stats.fetches(),
        stats.fetchFailures(),
        stats.sinceFetch(),
        stats.lastError());
  }

  @Override
  void close(RequestException refusal) {
    super.close(refusal);
    generator.close();
    source.close();
  }
}
