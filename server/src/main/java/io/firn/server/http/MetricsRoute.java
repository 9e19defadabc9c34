package io.firn.server.http;

import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import io.firn.server.metrics.Metrics;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * {@code /metrics}. Meters are set up at the first scrape, and read off the loops: neither a
 * server's start nor its clients wait for them.
 */
final class MetricsRoute {

  private static final String OPEN_METRICS = "application/openmetrics-text";

  private final Service service;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Metrics metrics;

  MetricsRoute(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/metrics", this::scrape, MediaType.TEXT, OPEN_METRICS);
  }

  private void scrape(HttpExchange exchange) {
    if (!exchange.caller(TokenScope.READ).permitsAll()) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "token: "
              + exchange.caller(TokenScope.READ).name()
              + " (expected: a token for every namespace)");
    }
    String version = exchange.type().equals(OPEN_METRICS) ? "1.0.0" : "0.0.4";
    String type = exchange.type() + "; version=" + version + "; charset=utf-8";
    exchange.whenDone(
        service.operatorReports().report(() -> metrics().scrape(type)),
        text -> exchange.reply(type, text));
  }

  private Metrics metrics() {
    lock.lock();
    try {
      if (metrics == null) {
        metrics = new Metrics(service);
      }
      return metrics;
    } finally {
      lock.unlock();
    }
  }
}
