package io.firn.simulation.schemes;

import io.firn.IdLayout;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.World;
import io.firn.time.TimeSource;

/**
 * Twitter's generator as it is copied everywhere: a sequence that starts at 0 each millisecond, the
 * newest time kept in memory, and a refusal when the clock steps behind that.
 */
abstract class TwitterMember implements Scheme.Member {

  private static final long MAX_SEQUENCE = 4_095;

  private final TimeSource time;
  private final long epochMillis;
  private boolean busy;
  private long lastMillis = -1;
  private long sequence;

  TwitterMember(TimeSource time) {
    this.time = time;
    epochMillis = IdLayout.CLASSIC.epoch().toEpochMilli();
  }

  /** The worker ID that it goes by now. */
  abstract long worker();

  @Override
  public final long nextId() {
    if (busy) {
      throw new Refused("another thread holds the lock");
    }
    busy = true;
    try {
      return next();
    } finally {
      busy = false;
    }
  }

  private long next() {
    long now = time.currentTimeMillis();
    if (now < lastMillis) {
      throw new Refused("the clock moved backwards");
    }
    sequence = now == lastMillis ? (sequence + 1) & MAX_SEQUENCE : 0;
    while (sequence == 0 && now == lastMillis) {
      time.parkNanos(World.NANOS_PER_MILLI);
      now = Math.max(lastMillis, time.currentTimeMillis());
    }
    lastMillis = now;
    return IdLayout.CLASSIC.compose(now - epochMillis, 0, worker(), sequence);
  }

  @Override
  public void close() {}
}
