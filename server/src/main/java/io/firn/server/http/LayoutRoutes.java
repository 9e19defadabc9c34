package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.decode.DecodeJson;
import io.firn.decode.Decoder;
import io.firn.decode.Reading;
import io.firn.json.Json;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The meaning of IDs and layouts: {@code /v1/decode/ID} and {@code /v1/layouts}. */
final class LayoutRoutes {

  private final Service service;

  LayoutRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add(
        "/v1/decode/{id}",
        exchange -> decode(exchange, Decoder::plausible, DecodeJson::of),
        MediaType.JSON);
    router.add(
        "/v1/decode/{id}/readings",
        exchange -> decode(exchange, Decoder::decode, DecodeJson::all),
        MediaType.JSON);
    router.add("/v1/layouts", this::layouts, MediaType.JSON);
  }

  /**
   * Answers with what an ID means.
   *
   * @param reader reads it where the client gives no layout
   * @param writer writes the readings
   */
  private void decode(
      HttpExchange exchange,
      BiFunction<Decoder, String, List<Reading>> reader,
      Function<List<Reading>, String> writer) {
    Caller caller = exchange.caller();
    exchange.requireParameters("layout");
    String id = exchange.path("id");
    // A query's plus is a space, which no layout has: an unescaped plus was meant as a plus.
    Optional<String> layout = exchange.parameter("layout").map(text -> text.replace(' ', '+'));
    exchange.report(
        () ->
            RequestException.read(
                () -> {
                  Decoder decoder = service.decoder(caller, null);
                  return writer.apply(
                      layout.isPresent()
                          ? List.of(decoder.decode(id, IdLayout.of(layout.get())))
                          : reader.apply(decoder, id));
                }));
  }

  private void layouts(HttpExchange exchange) {
    exchange.requireParameters();
    exchange.caller();
    exchange.report(() -> json(service.now()));
  }

  private static String json(Instant now) {
    return Json.object(
        object ->
            object.array(
                "layouts",
                IdLayout.named().values(),
                (element, layout) -> members(element, layout, now)));
  }

  /** Writes a layout: its fields, its capacity and its end. */
  static void members(Json json, IdLayout layout, Instant now) throws IOException {
    json.text("name", layout.name().orElse(""))
        .text("spec", layout.toString())
        .array("fields", layout.fields(), LayoutRoutes::member)
        .time("ends", layout.positiveUntil())
        .number("ends_ms", layout.positiveUntil().toEpochMilli())
        .number("tick_ms", layout.tick().toMillis())
        .time("epoch", layout.epoch())
        .number("workers", layout.workers())
        .number("ids_per_second", (long) layout.capacityPerSecond())
        .flag("ended", !now.isBefore(layout.positiveUntil()));
  }

  private static void member(Json json, IdLayout.Field field) throws IOException {
    json.text("field", field.kind().label())
        .number("bits", field.bits())
        .number("shift", field.shift());
  }
}
