package io.firn.server.metrics;

import io.firn.internal.Host;
import io.firn.server.Service;
import io.firn.server.Traffic;
import io.firn.server.config.OtlpTarget;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a server for OpenTelemetry: they are sent to a collector by OTLP over HTTP again
 * and again, by a daemon thread.
 */
public final class OtlpExport implements OtlpConfig {

  private final OtlpTarget target;
  private final Map<String, String> resource;
  private volatile @Nullable ServerMeters meters;

  private OtlpExport(Service service, OtlpTarget target) {
    this.target = target;
    resource =
        Map.of(
            "service.name",
            "firn",
            "service.instance.id",
            service.config().instance().orElseGet(Host::name));
  }

  /** Starts to send the meters of a server. */
  public static void start(Service service, OtlpTarget target) {
    OtlpExport export = new OtlpExport(service, target);
    MeterRegistry registry =
        OtlpMeterRegistry.builder(export).metricsSender(new CollectorSender()).build();
    service.traffic().forEach((protocol, traffic) -> meter(registry, protocol, traffic));
    export.meters = new ServerMeters(service, registry);
  }

  private static void meter(MeterRegistry registry, String protocol, Traffic traffic) {
    FunctionTimer.builder(
            "firn.request", traffic, OtlpExport::requests, OtlpExport::nanos, TimeUnit.NANOSECONDS)
        .description("Time from a complete request to its answer")
        .tag("protocol", protocol)
        .register(registry);
  }

  private static long requests(Traffic traffic) {
    return traffic.times().counts().stream().mapToLong(Long::longValue).sum();
  }

  private static double nanos(Traffic traffic) {
    return traffic.times().sumNanos();
  }

  @Override
  public @Nullable String get(String key) {
    return null;
  }

  @Override
  public String url() {
    return target.url();
  }

  @Override
  public Duration step() {
    return target.period();
  }

  @Override
  public Map<String, String> resourceAttributes() {
    return resource;
  }

  /** Updates the meters: the registry asks this when it begins an export. */
  @Override
  public int batchSize() {
    ServerMeters started = meters;
    if (started != null) {
      started.update();
    }
    return OtlpConfig.super.batchSize();
  }
}
