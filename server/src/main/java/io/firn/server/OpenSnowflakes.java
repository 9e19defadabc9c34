package io.firn.server;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.server.config.SnowflakeConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A namespace whose worker ID is leased. */
final class OpenSnowflakes extends OpenNamespace {

  /** The longest time that a request may need for ticks, its own and those of others. */
  private static final long MAX_TICKS_SECONDS = 10;

  /** The time for what is not the layout's own limit: a clock that steps, a store that is slow. */
  private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SnowflakeConfig config;
  private final Snowflake generator;
  private final NamespaceEvents events;
  private final long tickNanos;
  private final long idsPerTick;
  private final long maxCount;

  OpenSnowflakes(
      String name,
      SnowflakeConfig config,
      Snowflake generator,
      NamespaceEvents events,
      Waiting waiting) {
    super(name, waiting);
    this.config = config;
    this.generator = generator;
    this.events = events;
    IdLayout layout = generator.layout();
    tickNanos = layout.tick().toNanos();
    idsPerTick = 1L << layout.bits(Kind.SEQUENCE);
    maxCount = Math.max(1, TimeUnit.SECONDS.toNanos(MAX_TICKS_SECONDS) / tickNanos) * idsPerTick;
  }

  @Override
  IdScope scope(Duration limit) {
    try {
      return generator.scope(limit);
    } catch (UnsupportedOperationException e) {
      throw new RequestException(RequestException.Kind.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  @Override
  void checkCount(int count) {
    if (count > maxCount) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "count: "
              + count
              + " (expected: 1.."
              + maxCount
              + ", the layout of namespace "
              + name()
              + " has no more in "
              + MAX_TICKS_SECONDS
              + " s)");
    }
  }

  @Override
  int tryNextIds(long[] ids, int from, int to) {
    return generator.tryNextIds(ids, from, to);
  }

  @Override
  long maxWaitNanos(long ahead, int wanted) {
    if (ahead > 0 && ahead + wanted > maxCount) {
      throw new RequestException(
          RequestException.Kind.UNAVAILABLE,
          "Namespace "
              + name()
              + " has to issue "
              + ahead
              + " IDs to others first, and its layout has "
              + maxCount
              + " in "
              + MAX_TICKS_SECONDS
              + " s",
          MAX_TICKS_SECONDS);
    }
    return SPARE_NANOS + (1 + (ahead + wanted) / idsPerTick) * tickNanos;
  }

  @Override
  public SnowflakeStatus status() {
    SnowflakeStats stats = generator.stats();
    events.clockSteps(stats.clockSteps());
    return new SnowflakeStatus(
        name(),
        config,
        stats,
        generator.leaseStatus().orElseThrow(), // a server leases every worker ID
        events);
  }

  @Override
  void close() {
    super.close();
    generator.close();
  }
}
