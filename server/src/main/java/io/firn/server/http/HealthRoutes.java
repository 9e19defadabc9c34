package io.firn.server.http;

import io.firn.server.RequestException;
import io.firn.server.Service;

/** {@code /livez} and {@code /readyz}, for whoever starts and balances servers; for all to ask. */
final class HealthRoutes {

  private final Service service;

  HealthRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/livez", exchange -> exchange.reply("alive\n"), MediaType.TEXT);
    router.add("/readyz", this::ready, MediaType.TEXT);
  }

  private void ready(HttpExchange exchange) {
    service
        .namespaces()
        .outage()
        .ifPresent(
            outage -> {
              throw new RequestException(RequestException.Kind.UNAVAILABLE, outage);
            });
    exchange.reply("ready\n");
  }
}
