package io.firn.server.http;

import io.firn.json.Json;
import io.firn.segment.SegmentStats;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.SegmentStatus;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import java.io.IOException;
import java.util.List;

/** {@code /v1/segments}: what is in stock of counted numbers, for the namespaces of a client. */
final class SegmentRoutes {

  private final Service service;

  SegmentRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/v1/segments", this::segments, MediaType.JSON);
  }

  private void segments(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters();
    exchange.report(() -> json(service.namespaces().statuses(caller)));
  }

  private static String json(List<NamespaceStatus> statuses) {
    List<SegmentStatus> segments =
        statuses.stream()
            .filter(SegmentStatus.class::isInstance)
            .map(SegmentStatus.class::cast)
            .toList();
    return Json.object(object -> object.array("segments", segments, SegmentRoutes::members));
  }

  /** Writes what a namespace has in stock. */
  static void members(Json json, SegmentStatus status) throws IOException {
    SegmentStats segments = status.stats();
    json.text("namespace", status.name()).text("source", segments.source());
    if (segments.newest().isPresent()) {
      json.id("newest", segments.newest().getAsLong());
    } else {
      json.none("newest");
    }
    json.number("issued", segments.issued())
        .number("left", segments.left())
        .number("step", segments.step())
        .number("segments_ahead", segments.segmentsAhead())
        .number("waits", segments.waits())
        .number("fetches", segments.fetches())
        .number("fetch_failures", segments.fetchFailures())
        .millis("since_fetch_ms", segments.sinceFetch())
        .text("last_error", segments.lastError());
  }
}
