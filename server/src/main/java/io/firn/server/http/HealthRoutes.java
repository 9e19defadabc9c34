package io.firn.server.http;

import io.firn.server.Service;
import java.util.Optional;

/**
 * {@code /livez} and {@code /readyz}, for orchestrators and load balancers, without access control.
 */
final class HealthRoutes {

  /** The outage itself may name a store and its address. */
  private static final String UNKNOWN_OUTAGE = "Not ready; send a token to see why";

  private final Service service;

  HealthRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/livez", this::alive, MediaType.TEXT);
    router.add("/readyz", this::ready, MediaType.TEXT);
  }

  private void alive(HttpExchange exchange) {
    answer(exchange, service.loops().outage(), "alive\n");
  }

  private void ready(HttpExchange exchange) {
    exchange.requireParameters("namespace");
    Optional<String> namespace = exchange.parameter("namespace");
    if (namespace.isPresent()) {
      ready(exchange, namespace.get());
      return;
    }
    Optional<String> outage =
        service.namespaces().outage().map(why -> exchange.isKnown() ? why : UNKNOWN_OUTAGE);
    answer(exchange, outage, "ready\n");
  }

  private void ready(HttpExchange exchange, String namespace) {
    answer(exchange, service.namespaces().outage(exchange.caller(), namespace), "ready\n");
  }

  private static void answer(HttpExchange exchange, Optional<String> outage, String otherwise) {
    outage.ifPresentOrElse(exchange::replyOutage, () -> exchange.reply(otherwise));
  }
}
