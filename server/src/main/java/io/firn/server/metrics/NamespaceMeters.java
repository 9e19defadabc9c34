package io.firn.server.metrics;

import io.firn.micrometer.GeneratorMeters;
import io.firn.server.NamespaceStatus;
import io.firn.server.SegmentStatus;
import io.firn.server.SnowflakeStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;

/** The meters of one open namespace. Each scrape sets the status that they show. */
final class NamespaceMeters {

  private volatile NamespaceStatus status;

  NamespaceMeters(NamespaceStatus status) {
    this.status = status;
  }

  void show(NamespaceStatus newest) {
    status = newest;
  }

  void registerWith(MeterRegistry registry) {
    String name = status.name();
    if (status instanceof SnowflakeStatus open) {
      GeneratorMeters.bindSnowflake(
          registry, name, this, meters -> meters.snowflake().map(SnowflakeStatus::stats));
      GeneratorMeters.bindLease(
          registry, name, this, meters -> meters.snowflake().map(SnowflakeStatus::lease));
      GeneratorMeters.of(name, open.leases()).bindTo(registry);
    } else {
      GeneratorMeters.bindSegments(
          registry, name, this, meters -> meters.segments().map(SegmentStatus::stats));
    }
  }

  private Optional<SnowflakeStatus> snowflake() {
    return Optional.of(status).map(SnowflakeStatus.class::cast);
  }

  private Optional<SegmentStatus> segments() {
    return Optional.of(status).map(SegmentStatus.class::cast);
  }
}
