package io.firn.server.metrics;

import io.firn.SnowflakeStats;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentStats;
import io.firn.server.LeaseCounts;
import io.firn.server.NamespaceStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The meters of one namespace that is open. Each scrape sets the status that they show. */
final class NamespaceMeters {

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private volatile NamespaceStatus status;

  NamespaceMeters(NamespaceStatus status) {
    name = status.name();
    this.status = status;
  }

  void show(NamespaceStatus newest) {
    status = newest;
  }

  void registerWith(MeterRegistry registry) {
    if (status.segments().isPresent()) {
      registerSegments(registry);
    } else {
      registerSnowflakes(registry);
      registerLease(registry);
    }
  }

  private void registerSnowflakes(MeterRegistry registry) {
    issued(of(NamespaceStatus::stats, SnowflakeStats::issued)).register(registry);
    counter(
            "firn.waits",
            "Requests that waited for the clock",
            of(NamespaceStatus::stats, SnowflakeStats::waits))
        .register(registry);
    counter(
            "firn.clock.steps",
            "How often the clock was behind its latest reading",
            of(NamespaceStatus::stats, SnowflakeStats::clockSteps))
        .register(registry);
    seconds(
            "firn.lead",
            "How far the newest ID is ahead of the clock",
            of(NamespaceStatus::stats, stats -> seconds(stats.lead())))
        .register(registry);
    seconds(
            "firn.layout.remaining",
            "How long the layout lasts from now",
            of(NamespaceStatus::stats, stats -> seconds(stats.timeToExpiry())))
        .register(registry);
  }

  private void registerLease(MeterRegistry registry) {
    seconds(
            "firn.lease.remaining",
            "How long IDs go on without the store",
            of(
                NamespaceStatus::lease,
                held -> seconds(Duration.between(held.taken(), held.fence()))))
        .register(registry);
    gauge(
            "firn.worker.id",
            "The worker ID that is leased",
            of(NamespaceStatus::lease, LeaseStatus::worker))
        .register(registry);
    renewals("acquired", LeaseCounts::acquired).register(registry);
    renewals("renewed", LeaseCounts::renewed).register(registry);
    renewals("lost", LeaseCounts::lost).register(registry);
    renewals("expired", LeaseCounts::expired).register(registry);
  }

  private void registerSegments(MeterRegistry registry) {
    issued(of(NamespaceStatus::segments, SegmentStats::issued)).register(registry);
    gauge(
            "firn.segment.left",
            "IDs that can be issued without asking the source",
            of(NamespaceStatus::segments, SegmentStats::left))
        .baseUnit("ids")
        .register(registry);
    counter(
            "firn.segment.hungry.waits",
            "Requests that waited for a segment",
            of(NamespaceStatus::segments, SegmentStats::hungryWaits))
        .register(registry);
    fetches("given", SegmentStats::fetches).register(registry);
    fetches("failed", SegmentStats::fetchFailures).register(registry);
  }

  /** A value of a part of the status, which a namespace of that kind has as long as it is open. */
  private static <T> ToDoubleFunction<NamespaceStatus> of(
      Function<NamespaceStatus, Optional<T>> part, ToDoubleFunction<T> value) {
    return now -> value.applyAsDouble(part.apply(now).orElseThrow());
  }

  private static double seconds(Duration span) {
    return span.getSeconds() + span.getNano() / NANOS;
  }

  private FunctionCounter.Builder<NamespaceMeters> issued(ToDoubleFunction<NamespaceStatus> count) {
    return counter("firn.issued", "IDs that were handed out", count).baseUnit("ids");
  }

  private FunctionCounter.Builder<NamespaceMeters> renewals(
      String outcome, ToDoubleFunction<LeaseCounts> count) {
    return counter(
            "firn.lease.renewals",
            "What became of leases: acquired, renewed, lost to others, or expired before renewal",
            of(NamespaceStatus::leases, count))
        .tag("outcome", outcome);
  }

  private FunctionCounter.Builder<NamespaceMeters> fetches(
      String outcome, ToDoubleFunction<SegmentStats> count) {
    return counter(
            "firn.segment.fetches",
            "What became of requests for segments: given or failed",
            of(NamespaceStatus::segments, count))
        .tag("outcome", outcome);
  }

  private FunctionCounter.Builder<NamespaceMeters> counter(
      String meter, String description, ToDoubleFunction<NamespaceStatus> count) {
    return FunctionCounter.builder(meter, this, self -> count.applyAsDouble(self.status))
        .description(description)
        .tag("namespace", name);
  }

  private Gauge.Builder<NamespaceMeters> seconds(
      String meter, String description, ToDoubleFunction<NamespaceStatus> span) {
    return gauge(meter, description, span).baseUnit("seconds");
  }

  private Gauge.Builder<NamespaceMeters> gauge(
      String meter, String description, ToDoubleFunction<NamespaceStatus> value) {
    return Gauge.builder(meter, this, self -> value.applyAsDouble(self.status))
        .description(description)
        .tag("namespace", name);
  }
}
