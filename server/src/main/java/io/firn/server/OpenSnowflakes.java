package io.firn.server;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.integration.GeneratorSettings;
import io.firn.server.config.SnowflakeConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A namespace whose worker ID is leased. */
final class OpenSnowflakes extends OpenNamespace {

  /** The longest time that a request may need for ticks, its own and those of others. */
  private static final long MAX_TICKS_SECONDS = 10;

  /** The longest wait for ticks: later requests can have half of the IDs. */
  private static final long MAX_TICKS_NANOS = TimeUnit.SECONDS.toNanos(2 * MAX_TICKS_SECONDS);

  /** The time for what is not the layout's own limit: a clock that steps, a store that is slow. */
  private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The longest wait of a request. */
  static final long MAX_WAIT_NANOS = SPARE_NANOS + MAX_TICKS_NANOS;

  private final SnowflakeConfig config;
  private final Snowflake generator;
  private final NamespaceEvents events;
  private volatile Capacity capacity;

  /** The capacity of a layout. */
  private record Capacity(IdLayout layout, long tickNanos, long idsPerTick, long maxCount) {

    static Capacity of(IdLayout layout) {
      long tickNanos = layout.tick().toNanos();
      long idsPerTick = 1L << layout.bits(Kind.SEQUENCE);
      long ticks = Math.max(1, TimeUnit.SECONDS.toNanos(MAX_TICKS_SECONDS) / tickNanos);
      return new Capacity(layout, tickNanos, idsPerTick, ticks * idsPerTick);
    }
  }

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
    capacity = Capacity.of(generator.layout());
  }

  /** Returns the settings of the generator. */
  GeneratorSettings settings() {
    return config.settings();
  }

  /** Asks the generator for its layout, which may have changed. */
  private Capacity newCapacity() {
    IdLayout layout = generator.layout();
    Capacity known = capacity;
    if (!known.layout().equals(layout)) {
      known = Capacity.of(layout);
      capacity = known;
    }
    return known;
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
    if (count <= capacity.maxCount()) { // of a layout before, until a request waits
      return;
    }
    long maxCount = newCapacity().maxCount();
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
  public int maxRun() {
    return (int) Math.min(Integer.MAX_VALUE, capacity.idsPerTick());
  }

  @Override
  long uses() {
    return generator.stats().issued();
  }

  @Override
  int tryNextIds(long[] ids, int from, int to) {
    return generator.tryNextIds(ids, from, to);
  }

  @Override
  void checkWait(long ahead, int wanted) {
    Capacity now = newCapacity();
    if (ahead > 0 && ahead + wanted > now.maxCount()) {
      throw new RequestException(
          RequestException.Kind.UNAVAILABLE,
          "Namespace "
              + name()
              + " has to issue "
              + ahead
              + " IDs to others first, and its layout has "
              + now.maxCount()
              + " in "
              + MAX_TICKS_SECONDS
              + " s",
          MAX_TICKS_SECONDS);
    }
  }

  @Override
  long maxWaitNanos(long issued) {
    Capacity now = capacity;
    long ticksNanos = (1 + issued / now.idsPerTick()) * now.tickNanos();
    return SPARE_NANOS + Math.min(ticksNanos, MAX_TICKS_NANOS);
  }

  @Override
  public SnowflakeStatus status() {
    SnowflakeStats stats = generator.stats();
    events.clockSteps(stats.clockSteps());
    return new SnowflakeStatus(
        name(),
        config,
        generator.layout(),
        stats,
        generator.leaseStatus().orElseThrow(), // a server leases every worker ID
        events);
  }

  @Override
  void close(RequestException refusal) {
    super.close(refusal);
    generator.close();
  }
}
