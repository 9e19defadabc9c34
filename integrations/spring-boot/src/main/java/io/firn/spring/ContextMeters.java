package io.firn.spring;

import io.firn.Snowflake;
import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.micrometer.GeneratorMeters;
import io.firn.micrometer.LeaseCounts;
import io.firn.segment.SegmentGenerator;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The meters of the context's generators, which show no values before a generator has started. */
final class ContextMeters implements MeterBinder, LeaseListener {

  private final List<NamespaceGenerator> generators;
  private final Map<String, LeaseCounts> leases;

  ContextMeters(List<NamespaceGenerator> generators) {
    this.generators = generators;
    leases =
        generators.stream()
            .filter(generator -> generator.type() == FirnProperties.Type.SNOWFLAKE)
            .collect(
                Collectors.toUnmodifiableMap(NamespaceGenerator::name, name -> new LeaseCounts()));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (NamespaceGenerator ids : generators) {
      if (ids.type() == FirnProperties.Type.SNOWFLAKE) {
        GeneratorMeters.bindSnowflake(
            registry, ids.name(), ids, part(Snowflake.class, from -> Optional.of(from.stats())));
        GeneratorMeters.bindLease(
            registry, ids.name(), ids, part(Snowflake.class, Snowflake::leaseStatus));
      } else {
        GeneratorMeters.bindSegments(
            registry,
            ids.name(),
            ids,
            part(SegmentGenerator.class, from -> Optional.of(from.stats())));
      }
    }
    leases.forEach((name, counts) -> GeneratorMeters.of(name, counts).bindTo(registry));
  }

  private static <G, T> Function<NamespaceGenerator, Optional<T>> part(
      Class<G> type, Function<G, Optional<T>> state) {
    return generator -> generator.current().map(type::cast).flatMap(state);
  }

  @Override
  public void acquired(LeaseStatus status) {
    counts(status).acquired(status);
  }

  @Override
  public void renewed(LeaseStatus status) {
    counts(status).renewed(status);
  }

  @Override
  public void lost(LeaseStatus status) {
    counts(status).lost(status);
  }

  @Override
  public void expired(LeaseStatus status) {
    counts(status).expired(status);
  }

  private LeaseListener counts(LeaseStatus status) {
    return leases.getOrDefault(status.namespace(), new LeaseCounts());
  }
}
