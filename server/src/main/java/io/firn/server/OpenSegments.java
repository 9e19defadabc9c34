package io.firn.server;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.server.config.SegmentConfig;
import java.util.concurrent.atomic.AtomicLong;

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
    return new SegmentStatus(name(), config, generator.stats());
  }

  @Override
  void close(RequestException refusal) {
    super.close(refusal);
    generator.close();
    source.close();
  }
}
