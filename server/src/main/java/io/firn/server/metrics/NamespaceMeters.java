package io.firn.server.metrics;

import io.firn.micrometer.GeneratorMeters;
import io.firn.server.NamespaceStatus;
import io.firn.server.SegmentStatus;
import io.firn.server.SnowflakeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;

/** The meters of one open namespace. Each scrape sets the status that they show. */
final class NamespaceMeters {

  private static final double MILLIS_PER_SECOND = 1000;

  /** Counts the worker IDs of a namespace. */
  @FunctionalInterface
  interface WorkerCount {
    double of(String namespace, boolean reserved);
  }

  private final WorkerCount workers;
  private volatile NamespaceStatus status;

  /**
   * Creates the meters.
   *
   * @param workers how many worker IDs of a namespace are held, and how many are reserved
   */
  NamespaceMeters(NamespaceStatus status, WorkerCount workers) {
    this.status = status;
    this.workers = workers;
  }

  /** Returns whether a status is of the namespace as it was opened when the meters were created. */
  boolean areOf(NamespaceStatus newest) {
    return status instanceof SnowflakeStatus metered
        ? newest instanceof SnowflakeStatus open && open.events() == metered.events()
        : newest instanceof SegmentStatus;
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
      meterLease(registry, name);
    } else {
      GeneratorMeters.bindSegments(
          registry, name, this, meters -> meters.segments().map(SegmentStatus::stats));
    }
  }

  private void meterLease(MeterRegistry registry, String name) {
    Gauge.builder("firn.lease.renewal.lag", this, NamespaceMeters::renewalLagSeconds)
        .description("How long the renewal of the lease is overdue")
        .baseUnit("seconds")
        .tag("namespace", name)
        .register(registry);
    Gauge.builder("firn.workers.used", this, meters -> meters.workers.of(name, false))
        .description("Worker IDs that are held, of all servers of the store")
        .tag("namespace", name)
        .register(registry);
    Gauge.builder("firn.workers.reserved", this, meters -> meters.workers.of(name, true))
        .description("Worker IDs that are reserved for other systems")
        .tag("namespace", name)
        .register(registry);
    Gauge.builder("firn.workers", this, NamespaceMeters::workersThatThereAre)
        .description("Worker IDs that there are")
        .tag("namespace", name)
        .register(registry);
  }

  private double workersThatThereAre() {
    return snowflake().map(open -> (double) open.layout().workers()).orElse(Double.NaN);
  }

  /** A lease is renewed when half of its window is left. */
  private double renewalLagSeconds() {
    return snowflake()
        .map(
            open -> {
              Duration left = Duration.between(open.lease().taken(), open.lease().fence());
              Duration lag = open.config().window().dividedBy(2).minus(left);
              return Math.max(0, lag.toMillis() / MILLIS_PER_SECOND);
            })
        .orElse(Double.NaN);
  }

  private Optional<SnowflakeStatus> snowflake() {
    return Optional.of(status).map(SnowflakeStatus.class::cast);
  }

  private Optional<SegmentStatus> segments() {
    return Optional.of(status).map(SegmentStatus.class::cast);
  }
}
