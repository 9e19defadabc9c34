package io.firn.server.http;

import io.firn.server.RequestException;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The routes of tinyid, for the {@code bizType} that is a namespace here. IDs are numbers in their
 * JSON, as tinyid's clients read them; failures are those of all other routes.
 */
final class TinyidRoutes {

  private TinyidRoutes() {}

  static void addTo(Router router) {
    router.addWithPost(
        "/tinyid/id/nextId",
        exchange ->
            issue(
                exchange,
                ids ->
                    exchange.reply("{\"data\":[" + list(ids) + "],\"code\":200,\"message\":\"\"}")),
        MediaType.JSON);
    router.addWithPost(
        "/tinyid/id/nextIdSimple",
        exchange -> issue(exchange, ids -> exchange.reply(list(ids))),
        MediaType.TEXT,
        MediaType.JSON);
  }

  private static void issue(HttpExchange exchange, Consumer<long[]> answer) {
    String name = exchange.parameter("bizType").orElseThrow(TinyidRoutes::unnamed);
    exchange.issue(exchange.caller("token"), name, exchange.count("batchSize"), answer);
  }

  private static RequestException unnamed() {
    return new RequestException(
        RequestException.Kind.BAD_REQUEST, "bizType: none (expected: a namespace)");
  }

  private static String list(long[] ids) {
    return Arrays.stream(ids).mapToObj(Long::toString).collect(Collectors.joining(","));
  }
}
