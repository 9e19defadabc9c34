package io.firn.server;

import io.firn.segment.SegmentGenerator;
import io.firn.server.config.SegmentConfig;
import io.firn.store.RegisterStore;
import org.jspecify.annotations.Nullable;

/** A namespace of counted numbers. */
final class OpenSegments extends OpenNamespace {

  private final SegmentConfig config;
  private final SegmentGenerator generator;
  private final @Nullable RegisterStore own;

  /**
   * A namespace that draws from that generator.
   *
   * @param own the store to let go of at the end, unless it is the server's
   */
  OpenSegments(
      String name,
      SegmentConfig config,
      SegmentGenerator generator,
      @Nullable RegisterStore own,
      Waiting waiting) {
    super(name, waiting);
    this.config = config;
    this.generator = generator;
    this.own = own;
  }

  @Override
  int tryNextIds(long[] ids, int from, int to) {
    return generator.tryNextIds(ids, from, to);
  }

  @Override
  long maxWaitNanos(long ahead, int wanted) {
    return config.maxWait().toNanos();
  }

  @Override
  public SegmentStatus status() {
    return new SegmentStatus(name(), config, generator.stats());
  }

  @Override
  void close() {
    super.close();
    generator.close();
    if (own != null) {
      own.close();
    }
  }
}
