package io.firn.server.metrics;

import io.firn.server.Service;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The meters of a server for Prometheus, which asks for them. Thread-safe. */
public final class Metrics {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ServerMeters meters;

  /** Sets the meters up, which takes longer than it may before a server's first answer. */
  public Metrics(Service service) {
    meters = new ServerMeters(service, registry);
    registry.getPrometheusRegistry().register(new RequestTimes(service.traffic()));
  }

  /** Returns all of it, in the text format that is asked for, or in the plain one. */
  public String scrape(String contentType) {
    return meters.updated(() -> registry.scrape(contentType));
  }
}
