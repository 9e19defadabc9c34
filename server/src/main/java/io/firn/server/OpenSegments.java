package io.firn.server;

import io.firn.segment.SegmentGenerator;
import io.firn.server.config.SegmentConfig;
import io.firn.store.RegisterStore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of counted numbers. All draws are made with the lock held: so what was found in stock
 * is still there when it is drawn, and no event loop ever waits for a segment.
 */
final class OpenSegments extends OpenNamespace {

  private final SegmentConfig config;
  private final SegmentGenerator generator;
  private final @Nullable RegisterStore own;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * A namespace that draws from that generator.
   *
   * @param own the store to let go of at the end, unless it is the server's
   */
  OpenSegments(
      String name, SegmentConfig config, SegmentGenerator generator, @Nullable RegisterStore own) {
    super(name);
    this.config = config;
    this.generator = generator;
    this.own = own;
  }

  @Override
  boolean tryNextIds(long[] ids, int count) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      if (generator.left() < count) {
        return false;
      }
      generator.nextIds(ids, 0, count);
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  void awaitNextIds(long[] ids) {
    lock.lock();
    try {
      generator.nextIds(ids);
    } finally {
      lock.unlock();
    }
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
