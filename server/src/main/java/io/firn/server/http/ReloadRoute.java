package io.firn.server.http;

import io.firn.server.Service;
import io.firn.server.config.TokenScope;

/** The route {@code /v1/admin/reload}, which makes the server read its configuration again. */
final class ReloadRoute {

  private final Service service;

  ReloadRoute(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.addPost("/v1/admin/reload", this::reload, MediaType.TEXT);
  }

  private void reload(HttpExchange exchange) {
    exchange.caller(TokenScope.ADMIN);
    exchange.requireParameters();
    exchange.requireNoBody();
    exchange.whenDone(service.operatorReports().report(this::reload), exchange::reply);
  }

  private String reload() {
    service.current().reload();
    return "reloaded\n";
  }
}
