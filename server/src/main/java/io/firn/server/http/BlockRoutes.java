package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.block.IdBlock;
import io.firn.json.Json;
import io.firn.server.Caller;
import io.firn.server.config.TokenScope;
import java.io.IOException;

/** {@code POST /v1/blocks/NAMESPACE}: a range of IDs, for bulk work in any language. */
final class BlockRoutes {

  private BlockRoutes() {}

  static void addTo(Router router) {
    router.addPost("/v1/blocks/{namespace}", BlockRoutes::reserve, MediaType.JSON);
  }

  private static void reserve(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.RESERVE);
    exchange.requireParameters();
    BlockRequest request = BlockRequest.parse(exchange.body());
    exchange.whenDone(
        exchange.reserve(caller, exchange.path("namespace"), request),
        block -> exchange.reply(json(block)));
  }

  private static String json(IdBlock block) {
    return Json.object(
        object ->
            object
                .text("namespace", block.namespace())
                .text("count", Long.toString(block.size()))
                .id("first", block.first())
                .id("last", block.last())
                .time("from", block.from())
                .time("until", block.until())
                .text("layout", block.layout().toString())
                .text("block", block.toString())
                .object("formula", formula -> formula(formula, block)));
  }

  /**
   * Writes what computes the ID at an index: the highest digit of the index is the tick, then come
   * worker and sequence, in the order of the layout.
   */
  private static void formula(Json formula, IdBlock block) throws IOException {
    IdLayout layout = block.layout();
    int sequenceBits = layout.bits(Kind.SEQUENCE);
    int workerBits = Integer.numberOfTrailingZeros(block.workers().size());
    boolean workerBelow = layout.shift(Kind.WORKER) < layout.shift(Kind.SEQUENCE);
    formula
        .id("tick", block.firstTick())
        .number("tick_digit", sequenceBits + workerBits)
        .number("tick_shift", layout.shift(Kind.TIME))
        .number("worker_digit", workerBelow ? 0 : sequenceBits)
        .array(
            "workers",
            workers -> {
              for (long worker : block.workers()) {
                workers.element(Long.toString(layout.placeWorkerId(worker)));
              }
            })
        .number("sequence_digit", workerBelow ? workerBits : 0)
        .number("sequence_shift", layout.shift(Kind.SEQUENCE))
        .id("sequences", 1L << sequenceBits);
  }
}
