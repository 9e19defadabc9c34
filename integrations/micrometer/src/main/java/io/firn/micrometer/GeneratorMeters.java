package io.firn.micrometer;

import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The meters of ID generators. Issuing an ID costs nothing more with meters than without: a
 * registry reads what a generator counts anyway. Every meter has the tag {@code namespace}.
 *
 * <p>A registry refers to the generator weakly. Once the generator is collected, counters keep
 * their last value and gauges show NaN.
 *
 * <p>A registry has the meters of one generator for each namespace. It ignores those of another one
 * until the meters of the first are removed, also if that one is closed.
 */
public final class GeneratorMeters {

  private GeneratorMeters() {}

  /** Returns the meters of a generator, and of its lease if it has one. */
  public static MeterBinder of(String namespace, Snowflake ids) {
    return registry -> {
      bindSnowflake(registry, namespace, ids, from -> Optional.of(from.stats()));
      if (ids.leaseStatus().isPresent()) {
        bindLease(registry, namespace, ids, Snowflake::leaseStatus);
      }
    };
  }

  /** Returns the meters of a generator of segments. */
  public static MeterBinder of(String namespace, SegmentGenerator ids) {
    return registry -> bindSegments(registry, namespace, ids, from -> Optional.of(from.stats()));
  }

  /**
   * Returns the meters of lease events.
   *
   * @param counts the listener of the lease
   */
  public static MeterBinder of(String namespace, LeaseCounts counts) {
    return registry -> bindRenewals(registry, namespace, counts);
  }

  /**
   * Adds the meters of a generator that may not be open yet.
   *
   * @param owner the object that has the generator; the registry refers to it weakly
   * @param stats returns the state of the generator, empty before it is open
   */
  public static <S> void bindSnowflake(
      MeterRegistry registry,
      String namespace,
      S owner,
      Function<S, Optional<SnowflakeStats>> stats) {
    var source = new MeterSource<>(namespace, owner, stats);
    source.issued(SnowflakeStats::issued).register(registry);
    source
        .counter("firn.waits", "Requests that waited for the clock", SnowflakeStats::waits)
        .register(registry);
    source
        .counter(
            "firn.clock.steps",
            "Times the clock was behind its latest reading",
            SnowflakeStats::clockSteps)
        .register(registry);
    source
        .seconds("firn.lead", "How far the newest ID is ahead of the clock", SnowflakeStats::lead)
        .register(registry);
    source
        .seconds(
            "firn.layout.remaining",
            "How long the layout lasts from now",
            SnowflakeStats::timeToExpiry)
        .register(registry);
  }

  /**
   * Adds the meters of a lease that may not be held yet.
   *
   * @param owner the object that has the generator; the registry refers to it weakly
   * @param lease returns the state of the lease, empty before it is held
   */
  public static <S> void bindLease(
      MeterRegistry registry, String namespace, S owner, Function<S, Optional<LeaseStatus>> lease) {
    var source = new MeterSource<>(namespace, owner, lease);
    source
        .seconds(
            "firn.lease.remaining",
            "How long IDs keep flowing without the store",
            held -> Duration.between(held.taken(), held.fence()))
        .register(registry);
    new MeterSource<>(
            namespace, owner, lease.andThen(held -> held.flatMap(GeneratorMeters::watermarkLag)))
        .seconds(
            "firn.watermark.lag",
            "How far the watermark that was published last is behind the clock",
            lag -> lag)
        .register(registry);
    source
        .gauge("firn.worker.id", "The worker ID that is leased", LeaseStatus::worker)
        .register(registry);
  }

  private static Optional<Duration> watermarkLag(LeaseStatus held) {
    return held.watermark().map(watermark -> Duration.between(watermark, held.taken()));
  }

  /**
   * Adds the meters of a generator of segments that may not be open yet.
   *
   * @param owner the object that has the generator; the registry refers to it weakly
   * @param stats returns the state of the generator, empty before it is open
   */
  public static <S> void bindSegments(
      MeterRegistry registry,
      String namespace,
      S owner,
      Function<S, Optional<SegmentStats>> stats) {
    var source = new MeterSource<>(namespace, owner, stats);
    source.issued(SegmentStats::issued).register(registry);
    source
        .gauge(
            "firn.segment.left",
            "IDs that can be issued without asking the source",
            SegmentStats::left)
        .baseUnit("ids")
        .register(registry);
    source
        .counter("firn.segment.waits", "Requests that waited for a segment", SegmentStats::waits)
        .register(registry);
    bindFetches(registry, source, "given", SegmentStats::fetches);
    bindFetches(registry, source, "failed", SegmentStats::fetchFailures);
  }

  private static <S> void bindFetches(
      MeterRegistry registry,
      MeterSource<S, SegmentStats> source,
      String outcome,
      ToDoubleFunction<SegmentStats> count) {
    source
        .counter("firn.segment.fetches", "Requests for segments, by outcome", count)
        .tag("outcome", outcome)
        .register(registry);
  }

  private static void bindRenewals(MeterRegistry registry, String namespace, LeaseCounts counts) {
    bindRenewals(registry, namespace, counts, "acquired", LeaseCounts::acquired);
    bindRenewals(registry, namespace, counts, "renewed", LeaseCounts::renewed);
    bindRenewals(registry, namespace, counts, "lost", LeaseCounts::lost);
    bindRenewals(registry, namespace, counts, "expired", LeaseCounts::expired);
  }

  private static void bindRenewals(
      MeterRegistry registry,
      String namespace,
      LeaseCounts counts,
      String outcome,
      ToDoubleFunction<LeaseCounts> count) {
    new MeterSource<>(namespace, counts, Optional::of)
        .counter(
            "firn.lease.renewals",
            "Lease events: acquired, renewed, lost to another holder, or expired before renewal",
            count)
        .tag("outcome", outcome)
        .register(registry);
  }
}
