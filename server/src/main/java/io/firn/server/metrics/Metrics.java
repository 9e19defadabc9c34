package io.firn.server.metrics;

import io.firn.server.NamespaceStatus;
import io.firn.server.PendingStatus;
import io.firn.server.Service;
import io.firn.server.Traffic;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The meters of a server. Nothing is metered as it happens: each scrape reads what generators,
 * leases and connections count anyway. Thread-safe.
 */
public final class Metrics {

  private final Service service;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, NamespaceMeters> metered = new HashMap<>();

  /** Sets the meters up, which takes longer than it may before a server's first answer. */
  public Metrics(Service service) {
    this.service = service;
    List.of(
            new JvmMemoryMetrics(),
            new JvmGcMetrics(),
            new JvmThreadMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics())
        .forEach(binder -> binder.bindTo(registry));
    Gauge.builder("firn.ready", this, Metrics::ready)
        .description("1 if this server can issue, 0 without a lease or past its fence")
        .register(registry);
    service.config().permanent().forEach(this::meterReadiness);
    Gauge.builder("firn.connections.limit", service, s -> s.config().limits().connections())
        .description("Open connections that there may be")
        .register(registry);
    service.traffic().forEach(this::meter);
    registry.getPrometheusRegistry().register(new RequestTimes(service.traffic()));
  }

  private double ready() {
    return service.namespaces().outage().isEmpty() ? 1 : 0;
  }

  private void meterReadiness(String namespace) {
    Gauge.builder(
            "firn.namespace.ready",
            service.namespaces(),
            namespaces -> namespaces.outage(namespace).isEmpty() ? 1 : 0)
        .description("1 if this server can issue IDs of the namespace")
        .tag("namespace", namespace)
        .register(registry);
  }

  private void meter(String protocol, Traffic traffic) {
    Gauge.builder("firn.connections", traffic, Traffic::connections)
        .description("Open connections")
        .tag("protocol", protocol)
        .register(registry);
    FunctionCounter.builder("firn.refusals", traffic, Traffic::refusals)
        .description("Requests that were not granted")
        .tag("protocol", protocol)
        .register(registry);
  }

  /** All of it, in the text format that is asked for, or in the plain one. */
  public String scrape(String contentType) {
    lock.lock();
    try {
      forgetClosed();
      service.namespaces().statuses().stream()
          .filter(status -> !(status instanceof PendingStatus))
          .forEach(
              status -> metered.computeIfAbsent(status.name(), n -> meter(status)).show(status));
      return registry.scrape(contentType);
    } finally {
      lock.unlock();
    }
  }

  /** A namespace that is opened again has new counters. */
  private void forgetClosed() {
    Set<String> open =
        service.namespaces().statuses().stream()
            .map(NamespaceStatus::name)
            .collect(Collectors.toSet());
    Set<String> closed = new HashSet<>(metered.keySet());
    closed.removeAll(open);
    closed.forEach(metered::remove);
    registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> closed.contains(String.valueOf(id.getTag("namespace"))))
        .forEach(registry::remove);
  }

  private NamespaceMeters meter(NamespaceStatus status) {
    NamespaceMeters meters = new NamespaceMeters(status);
    meters.registerWith(registry);
    return meters;
  }
}
