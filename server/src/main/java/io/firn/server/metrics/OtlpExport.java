package io.firn.server.metrics;

import io.firn.internal.Host;
import io.firn.server.Service;
import io.firn.server.Traffic;
import io.firn.server.config.OtlpTarget;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionTimer;
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
public final class OtlpExport {

  private OtlpExport() {}

  /** Starts to send the meters of a server. */
  public static void start(Service service, OtlpTarget target) {
    new Registry(service, target);
  }

  private static final class Registry extends OtlpMeterRegistry {

    private final ServerMeters meters;

    Registry(Service service, OtlpTarget target) {
      super(otlpConfig(service, target), Clock.SYSTEM);
      meters = new ServerMeters(service, this);
      service.traffic().forEach(this::meter);
    }

    private void meter(String protocol, Traffic traffic) {
      FunctionTimer.builder(
              "firn.request", traffic, Registry::requests, Registry::nanos, TimeUnit.NANOSECONDS)
          .description("Time from a complete request to its answer")
          .tag("protocol", protocol)
          .register(this);
    }

    private static long requests(Traffic traffic) {
      return traffic.times().counts().stream().mapToLong(Long::longValue).sum();
    }

    private static double nanos(Traffic traffic) {
      return traffic.times().sumNanos();
    }

    @Override
    protected void publish() {
      meters.update();
      super.publish();
    }
  }

  private static OtlpConfig otlpConfig(Service service, OtlpTarget target) {
    Map<String, String> resource =
        Map.of(
            "service.name",
            "firn",
            "service.instance.id",
            service.config().instance().orElseGet(Host::name));
    return new OtlpConfig() {
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
    };
  }
}
