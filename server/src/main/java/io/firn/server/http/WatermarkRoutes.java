package io.firn.server.http;

import io.firn.json.Json;
import io.firn.json.WatermarkJson;
import io.firn.server.Caller;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;

/** {@code /v1/watermark/NAMESPACE}: up to which ID every row is committed. */
final class WatermarkRoutes {

  private final Service service;

  WatermarkRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/v1/watermark/{namespace}", this::watermark, MediaType.JSON);
  }

  private void watermark(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters();
    String namespace = exchange.path("namespace");
    exchange.whenDone(
        service.namespaces().watermark(caller, namespace),
        reading -> exchange.reply(Json.object(new WatermarkJson(namespace, reading)::writeTo)));
  }
}
