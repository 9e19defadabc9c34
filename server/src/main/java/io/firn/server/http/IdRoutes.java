package io.firn.server.http;

import io.firn.json.Json;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.text.IdFormat;
import io.netty.buffer.ByteBuf;

/** {@code /v1/ids/NAMESPACE?count=N&format=F}: IDs, one a line, or as JSON. */
final class IdRoutes {

  private IdRoutes() {}

  static void addTo(Router router) {
    router.addIssuing("/v1/ids/{namespace}", IdRoutes::issue);
  }

  private static void issue(HttpExchange exchange) {
    Caller caller = exchange.caller();
    exchange.requireParameters("count", "format");
    exchange.requireNoBody();
    IdFormat format =
        exchange
            .parameter("format")
            .map(name -> RequestException.read(() -> IdFormat.of(name)))
            .orElse(IdFormat.DECIMAL);
    exchange.issue(
        caller,
        exchange.path("namespace"),
        exchange.count("count"),
        ids -> reply(exchange, format, ids));
  }

  private static void reply(HttpExchange exchange, IdFormat format, long[] ids) {
    if (exchange.type().equals(MediaType.JSON)) {
      exchange.reply(json(exchange.path("namespace"), format, ids));
    } else {
      exchange.reply(lines(exchange, format, ids));
    }
  }

  private static ByteBuf lines(HttpExchange exchange, IdFormat format, long[] ids) {
    byte[] line = new byte[format.maxLength() + 1];
    ByteBuf body = exchange.buffer(ids.length * line.length);
    for (long id : ids) {
      int length = format.write(id, line, 0);
      line[length] = '\n';
      body.writeBytes(line, 0, length + 1);
    }
    return body;
  }

  private static String json(String namespace, IdFormat format, long[] ids) {
    return Json.object(
        object ->
            object
                .text("namespace", namespace)
                .array(
                    "ids",
                    array -> {
                      for (long id : ids) {
                        array.element(format.format(id));
                      }
                    }));
  }
}
