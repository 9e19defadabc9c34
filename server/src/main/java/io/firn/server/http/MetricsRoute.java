package io.firn.server.http;

import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.SharedReport;
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

  private static final String TEXT_TYPE = scrapeType(MediaType.TEXT, "0.0.4");
  private static final String OPEN_METRICS_TYPE = scrapeType(OPEN_METRICS, "1.0.0");

  private final Service service;
  private final SharedReport text;
  private final SharedReport openMetrics;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Metrics metrics;

  MetricsRoute(Service service) {
    this.service = service;
    text = new SharedReport(service.operatorReports(), () -> metrics().scrape(TEXT_TYPE));
    openMetrics =
        new SharedReport(service.operatorReports(), () -> metrics().scrape(OPEN_METRICS_TYPE));
  }

  private static String scrapeType(String type, String version) {
    return type + "; version=" + version + "; charset=utf-8";
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
    if (exchange.type().equals(OPEN_METRICS)) {
      exchange.whenDone(openMetrics.get(), scraped -> exchange.reply(OPEN_METRICS_TYPE, scraped));
    } else {
      exchange.whenDone(text.get(), scraped -> exchange.reply(TEXT_TYPE, scraped));
    }
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
