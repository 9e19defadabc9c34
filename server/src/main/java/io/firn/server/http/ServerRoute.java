package io.firn.server.http;

import io.firn.json.Json;
import io.firn.server.Service;
import io.firn.server.Traffic;
import io.firn.server.config.TokenScope;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** {@code /v1/server}: whether this server is ready, and what comes over each protocol. */
final class ServerRoute {

  private final Service service;

  ServerRoute(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/v1/server", this::answer, MediaType.JSON);
  }

  private void answer(HttpExchange exchange) {
    exchange.requireParameters();
    exchange.caller(TokenScope.READ);
    exchange.report(this::json);
  }

  private String json() {
    return Json.object(
        object ->
            object
                .time("taken", service.now())
                .text("outage", service.namespaces().outage())
                .array(
                    "protocols",
                    new TreeMap<>(service.traffic()).entrySet(),
                    ServerRoute::members));
  }

  private static void members(Json json, Map.Entry<String, Traffic> traffic) throws IOException {
    Traffic.Times times = traffic.getValue().times();
    json.text("protocol", traffic.getKey())
        .number("connections", traffic.getValue().connections())
        .number("refusals", traffic.getValue().refusals())
        .number("total_us", TimeUnit.NANOSECONDS.toMicros(times.sumNanos()))
        .array(
            "times",
            buckets -> {
              Iterator<Long> bounds = times.boundMicros().iterator();
              for (long count : times.counts()) {
                buckets.element(bucket -> bucket(bucket, bounds, count));
              }
            });
  }

  /** Writes a bucket; the last one has no bound. */
  private static void bucket(Json json, Iterator<Long> bounds, long count) throws IOException {
    if (bounds.hasNext()) {
      json.number("up_to_us", bounds.next());
    } else {
      json.none("up_to_us");
    }
    json.number("requests", count);
  }
}
