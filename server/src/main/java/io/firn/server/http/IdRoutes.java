package io.firn.server.http;

import io.firn.json.Json;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import io.firn.text.IdFormat;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * {@code /v1/ids/NAMESPACE?count=N&format=F&scope_ms=T}: IDs, one a line, or as JSON; and {@code
 * /v1/scopes/SCOPE/end}.
 */
final class IdRoutes {

  /** The header that names the scope in which IDs were drawn. */
  private static final String SCOPE = "Firn-Scope";

  private IdRoutes() {}

  static void addTo(Router router) {
    router.addIssuing("/v1/ids/{namespace}", IdRoutes::issue);
    router.addPost("/v1/scopes/{scope}/end", IdRoutes::end, MediaType.JSON);
  }

  private static void end(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.ISSUE);
    exchange.requireParameters();
    exchange.requireNoBody();
    String scope = exchange.path("scope");
    exchange.endScope(caller, scope);
    exchange.reply(Json.object(object -> object.text("scope", scope)));
  }

  private static void issue(HttpExchange exchange) {
    Caller caller = exchange.caller();
    exchange.requireParameters("count", "format", "scope_ms");
    exchange.requireNoBody();
    IdFormat format =
        exchange
            .parameter("format")
            .map(name -> RequestException.read(() -> IdFormat.of(name)))
            .orElse(IdFormat.DECIMAL);
    String namespace = exchange.path("namespace");
    int count = exchange.count("count");
    Optional<String> limit = exchange.parameter("scope_ms");
    if (limit.isPresent()) {
      exchange.issueInScope(
          caller,
          namespace,
          count,
          Service.scopeMillis("scope_ms", limit.get()),
          (scope, ids) -> reply(exchange, format, Optional.of(scope), ids));
    } else {
      exchange.issue(
          caller, namespace, count, ids -> reply(exchange, format, Optional.empty(), ids));
    }
  }

  private static void reply(
      HttpExchange exchange, IdFormat format, Optional<String> scope, long[] ids) {
    ByteBuf body =
        exchange.type().equals(MediaType.JSON)
            ? Unpooled.copiedBuffer(
                json(exchange.path("namespace"), format, scope, ids), StandardCharsets.UTF_8)
            : lines(format, ids);
    if (scope.isPresent()) {
      exchange.reply(HttpResponseStatus.OK, Map.of(SCOPE, scope.get()), body);
    } else {
      exchange.reply(body);
    }
  }

  private static ByteBuf lines(IdFormat format, long[] ids) {
    byte[] lines = new byte[ids.length * (format.maxLength() + 1)];
    int length = 0;
    for (long id : ids) {
      length += format.write(id, lines, length);
      lines[length++] = '\n';
    }
    return Unpooled.wrappedBuffer(lines, 0, length);
  }

  private static String json(
      String namespace, IdFormat format, Optional<String> scope, long[] ids) {
    return Json.object(
        object -> {
          object.text("namespace", namespace);
          if (scope.isPresent()) {
            object.text("scope", scope.get());
          }
          object.array(
              "ids",
              array -> {
                for (long id : ids) {
                  array.element(format.format(id));
                }
              });
        });
  }
}
