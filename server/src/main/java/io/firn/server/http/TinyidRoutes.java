package io.firn.server.http;

import io.firn.json.Json;
import io.firn.segment.Segment;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The routes of tinyid, for the {@code bizType} that is a namespace here. IDs are numbers in their
 * JSON, as tinyid's clients read them; failures are those of all other routes.
 */
final class TinyidRoutes {

  /** A client of tinyid fetches ahead once it has used this part of a segment. */
  private static final double LOADING_SHARE = 0.2;

  private final Service service;

  TinyidRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.addIssuing(
        "/tinyid/id/nextId",
        exchange -> issue(exchange, ids -> exchange.reply(data("[" + list(ids) + "]"))),
        MediaType.JSON);
    router.addIssuing(
        "/tinyid/id/nextIdSimple",
        exchange -> issue(exchange, ids -> exchange.reply(list(ids))),
        MediaType.TEXT,
        MediaType.JSON);
    router.addIssuing(
        "/tinyid/id/nextSegmentId",
        exchange -> take(exchange, segment -> data(json(segment))),
        MediaType.JSON);
    router.addIssuing(
        "/tinyid/id/nextSegmentIdSimple",
        exchange -> take(exchange, TinyidRoutes::text),
        MediaType.TEXT);
  }

  private static String data(String json) {
    return "{\"data\":" + json + ",\"code\":200,\"message\":\"\"}";
  }

  private void issue(HttpExchange exchange, Consumer<long[]> answer) {
    Caller caller = exchange.caller("token");
    exchange.issue(caller, name(exchange, caller), exchange.count("batchSize"), answer);
  }

  /** Answers with a segment, for a client that counts itself. */
  private void take(HttpExchange exchange, Function<Segment, String> answer) {
    Caller caller = exchange.caller("token");
    exchange.whenDone(
        service.namespaces().segment(caller, name(exchange, caller)),
        segment -> exchange.reply(answer.apply(segment)));
  }

  /** A type that is not configured is refused, as tinyid does. */
  private String name(HttpExchange exchange, Caller caller) {
    String type = exchange.parameter("bizType").orElseThrow(TinyidRoutes::unnamed);
    String name = RequestException.read(() -> service.config().legacy().tinyidName(type));
    caller.require(name);
    if (service.config().namespace(name, false).isEmpty()) {
      throw new RequestException(
          RequestException.Kind.NOT_FOUND,
          "bizType: " + type + " (expected: a namespace of the configuration)");
    }
    return name;
  }

  /**
   * The numbers that a client of tinyid counts: the multiples of delta and the remainder, past
   * current.
   */
  private record Counted(long current, long loading, long max, long delta, long remainder) {

    static Counted of(Segment segment) {
      long current = segment.first() - segment.stride();
      long max = current + segment.count() * segment.stride();
      long loading = current + (long) ((max - current) * LOADING_SHARE);
      return new Counted(
          current, loading, max, segment.stride(), segment.first() % segment.stride());
    }
  }

  private static String text(Segment segment) {
    Counted counted = Counted.of(segment);
    return counted.current
        + ","
        + counted.loading
        + ","
        + counted.max
        + ","
        + counted.delta
        + ","
        + counted.remainder;
  }

  private static String json(Segment segment) {
    Counted counted = Counted.of(segment);
    return Json.object(
        object ->
            object
                .number("currentId", counted.current)
                .number("loadingId", counted.loading)
                .number("maxId", counted.max)
                .number("delta", counted.delta)
                .number("remainder", counted.remainder));
  }

  private static RequestException unnamed() {
    return new RequestException(
        RequestException.Kind.BAD_REQUEST, "bizType: none (expected: a namespace)");
  }

  private static String list(long[] ids) {
    return Arrays.stream(ids).mapToObj(Long::toString).collect(Collectors.joining(","));
  }
}
