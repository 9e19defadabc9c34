package io.firn.server.http;

import io.firn.json.Json;
import io.firn.json.WatermarkJson;
import io.firn.lease.Watermark;
import io.firn.server.Caller;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** {@code /v1/watermark/NAMESPACE}: up to which ID every row is committed. */
final class WatermarkRoutes {

  private final Service service;

  WatermarkRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.addWithPost("/v1/watermark/{namespace}", this::published, this::moved, MediaType.JSON);
  }

  private void published(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    answer(exchange, namespace -> service.namespaces().publishedWatermark(caller, namespace));
  }

  private void moved(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.RESERVE);
    answer(exchange, namespace -> service.namespaces().watermark(caller, namespace));
  }

  private static void answer(
      HttpExchange exchange, Function<String, CompletableFuture<Watermark.Reading>> source) {
    exchange.requireParameters();
    String namespace = exchange.path("namespace");
    exchange.whenDone(
        source.apply(namespace),
        reading -> exchange.reply(Json.object(new WatermarkJson(namespace, reading)::writeTo)));
  }
}
