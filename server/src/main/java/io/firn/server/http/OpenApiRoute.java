package io.firn.server.http;

/** {@code /openapi.json}: what this server answers, for programs; for all to ask. */
final class OpenApiRoute {

  private OpenApiRoute() {}

  static void addTo(Router router) {
    router.add(
        "/openapi.json",
        exchange -> exchange.reply(ResourceFile.of("openapi.json").content()),
        MediaType.JSON);
  }
}
