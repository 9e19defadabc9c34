package io.firn.spring;

import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Meters of generators, under the names that Firn's server gives them; no ID costs more by it. */
final class GeneratorMeters implements MeterBinder, LeaseListener {

  private static final double NANOS = 1e9;

  private final List<NamespaceGenerator> generators;
  private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

  GeneratorMeters(List<NamespaceGenerator> generators) {
    this.generators = generators;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    registries.add(registry);
    for (NamespaceGenerator generator : generators) {
      if (generator.type() == FirnProperties.Type.SNOWFLAKE) {
        bindSnowflake(generator, registry);
      } else {
        bindSegments(generator, registry);
      }
    }
  }

  private static void bindSnowflake(NamespaceGenerator ids, MeterRegistry registry) {
    counter("firn.issued", ids, stats(SnowflakeStats::issued)).baseUnit("ids").register(registry);
    counter("firn.waits", ids, stats(SnowflakeStats::waits)).register(registry);
    counter("firn.clock.steps", ids, stats(SnowflakeStats::clockSteps)).register(registry);
    seconds("firn.lead", ids, stats(stats -> seconds(stats.lead()))).register(registry);
    seconds("firn.layout.remaining", ids, stats(stats -> seconds(stats.timeToExpiry())))
        .register(registry);
    seconds(
            "firn.lease.remaining",
            ids,
            lease(status -> seconds(Duration.between(status.taken(), status.fence()))))
        .register(registry);
    gauge("firn.worker.id", ids, lease(LeaseStatus::worker)).register(registry);
  }

  private static void bindSegments(NamespaceGenerator ids, MeterRegistry registry) {
    counter("firn.issued", ids, segments(SegmentStats::issued)).baseUnit("ids").register(registry);
    gauge("firn.segment.left", ids, segments(SegmentStats::left))
        .baseUnit("ids")
        .register(registry);
    counter("firn.segment.hungry.waits", ids, segments(SegmentStats::hungryWaits))
        .register(registry);
    counter("firn.segment.fetches", ids, segments(SegmentStats::fetches))
        .tag("outcome", "given")
        .register(registry);
    counter("firn.segment.fetches", ids, segments(SegmentStats::fetchFailures))
        .tag("outcome", "failed")
        .register(registry);
  }

  private static ToDoubleFunction<NamespaceGenerator> stats(
      ToDoubleFunction<SnowflakeStats> value) {
    return of(Snowflake.class, ids -> Optional.of(ids.stats()), value);
  }

  private static ToDoubleFunction<NamespaceGenerator> lease(ToDoubleFunction<LeaseStatus> value) {
    return of(Snowflake.class, Snowflake::leaseStatus, value);
  }

  private static ToDoubleFunction<NamespaceGenerator> segments(
      ToDoubleFunction<SegmentStats> value) {
    return of(SegmentGenerator.class, ids -> Optional.of(ids.stats()), value);
  }

  /** No number before the generator has started. */
  private static <G, T> ToDoubleFunction<NamespaceGenerator> of(
      Class<G> type, Function<G, Optional<T>> part, ToDoubleFunction<T> value) {
    return generator ->
        generator
            .current()
            .map(type::cast)
            .flatMap(part)
            .map(value::applyAsDouble)
            .orElse(Double.NaN);
  }

  private static double seconds(Duration span) {
    return span.getSeconds() + span.getNano() / NANOS;
  }

  private static FunctionCounter.Builder<NamespaceGenerator> counter(
      String meter, NamespaceGenerator ids, ToDoubleFunction<NamespaceGenerator> count) {
    return FunctionCounter.builder(meter, ids, count).tag("namespace", ids.name());
  }

  private static Gauge.Builder<NamespaceGenerator> seconds(
      String meter, NamespaceGenerator ids, ToDoubleFunction<NamespaceGenerator> value) {
    return gauge(meter, ids, value).baseUnit("seconds");
  }

  private static Gauge.Builder<NamespaceGenerator> gauge(
      String meter, NamespaceGenerator ids, ToDoubleFunction<NamespaceGenerator> value) {
    return Gauge.builder(meter, ids, value).tag("namespace", ids.name());
  }

  @Override
  public void acquired(LeaseStatus status) {
    count(status, "acquired");
  }

  @Override
  public void renewed(LeaseStatus status) {
    count(status, "renewed");
  }

  @Override
  public void lost(LeaseStatus status) {
    count(status, "lost");
  }

  @Override
  public void expired(LeaseStatus status) {
    count(status, "expired");
  }

  private void count(LeaseStatus status, String outcome) {
    for (MeterRegistry registry : registries) {
      registry
          .counter("firn.lease.renewals", "namespace", status.namespace(), "outcome", outcome)
          .increment();
    }
  }
}
