package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.json.Json;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SnowflakeConfig;
import io.firn.text.IdFormat;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/**
 * The routes of Leaf: a bare number, for the key that is a namespace here. Leaf wrote times in the
 * zone of its server; here it is UTC.
 */
final class LeafRoutes {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);

  private final Service service;

  LeafRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.addIssuing("/api/snowflake/get/{key}", this::snowflake, MediaType.TEXT, MediaType.JSON);
    router.addIssuing("/api/segment/get/{key}", this::segment, MediaType.TEXT, MediaType.JSON);
    router.add("/decodeSnowflakeId", this::decode, MediaType.JSON);
  }

  /** Leaf has one generator for all keys, so two keys never share an ID. */
  private void snowflake(HttpExchange exchange) {
    String key = exchange.path("key");
    issue(exchange, service.config().legacy().leafNamespace().orElse(key), true);
  }

  private void segment(HttpExchange exchange) {
    String key = exchange.path("key");
    issue(exchange, RequestException.read(() -> service.config().legacy().leafName(key)), false);
  }

  /**
   * Refuses a namespace of the other type: its numbers may not fit into the columns of the caller.
   */
  private void issue(HttpExchange exchange, String name, boolean snowflake) {
    Caller caller = exchange.caller();
    caller.require(name);
    Optional<NamespaceConfig> config = service.config().namespace(name);
    if (config.isEmpty() || config.get() instanceof SnowflakeConfig != snowflake) {
      throw new RequestException(
          RequestException.Kind.NOT_FOUND,
          "key: "
              + exchange.path("key")
              + " (expected: a namespace of type "
              + (snowflake ? "snowflake)" : "segment)"));
    }
    exchange.issue(caller, name, 1, ids -> exchange.reply(Long.toString(ids[0])));
  }

  private void decode(HttpExchange exchange) {
    exchange.caller();
    IdLayout layout = service.config().defaults().layout();
    IdParts parts = parts(layout, exchange.parameter("snowflakeId").orElse("none"));
    exchange.reply(
        Json.object(
            object ->
                object
                    .text(
                        "timestamp",
                        parts.instant().toEpochMilli()
                            + "("
                            + TIME.format(parts.instant().atZone(ZoneOffset.UTC))
                            + ")")
                    .text("sequenceId", Long.toString(parts.sequence()))
                    .text(
                        "workerId",
                        Long.toString(layout.workerId(parts.datacenter(), parts.worker())))));
  }

  private static IdParts parts(IdLayout layout, String text) {
    try {
      return layout.parse(IdFormat.DECIMAL.parse(text));
    } catch (IllegalArgumentException e) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "snowflakeId: " + text + " (expected: an ID of layout " + layout + ")");
    }
  }
}
