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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** The meters of the context's generators, which show no values before a generator has started. */
final class ContextMeters implements MeterBinder, LeaseListener {

  private final Generators generators;
  private final Map<String, LeaseCounts> leases = new ConcurrentHashMap<>();
  private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

  ContextMeters(Generators generators) {
    this.generators = generators;
    generators.watch(ids -> registries.forEach(registry -> bind(ids, registry)));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    registries.add(registry);
    generators.all().forEach(ids -> bind(ids, registry));
  }

  private void bind(NamespaceGenerator ids, MeterRegistry registry) {
    if (ids.type() == FirnProperties.Type.SNOWFLAKE) {
      GeneratorMeters.bindSnowflake(
          registry, ids.name(), ids, part(Snowflake.class, from -> Optional.of(from.stats())));
      GeneratorMeters.bindLease(
          registry, ids.name(), ids, part(Snowflake.class, Snowflake::leaseStatus));
      GeneratorMeters.of(ids.name(), counts(ids.name())).bindTo(registry);
    } else {
      GeneratorMeters.bindSegments(
          registry,
          ids.name(),
          ids,
          part(SegmentGenerator.class, from -> Optional.of(from.stats())));
    }
  }

  private static <G, T> Function<NamespaceGenerator, Optional<T>> part(
      Class<G> type, Function<G, Optional<T>> state) {
    return generator -> generator.current().map(type::cast).flatMap(state);
  }

  @Override
  public void acquired(LeaseStatus status) {
    counts(status.namespace()).acquired(status);
  }

  @Override
  public void renewed(LeaseStatus status) {
    counts(status.namespace()).renewed(status);
  }

  @Override
  public void lost(LeaseStatus status) {
    counts(status.namespace()).lost(status);
  }

  @Override
  public void expired(LeaseStatus status) {
    counts(status.namespace()).expired(status);
  }

  private LeaseCounts counts(String namespace) {
    return leases.computeIfAbsent(namespace, absent -> new LeaseCounts());
  }
}
