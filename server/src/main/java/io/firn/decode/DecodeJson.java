package io.firn.decode;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import io.firn.json.Json;
import java.io.IOException;
import java.util.List;

/** The explanation of an ID, as an object. */
public final class DecodeJson {

  private DecodeJson() {}

  /** Returns the first reading, and the names of the others. */
  public static String of(List<Reading> readings) {
    String form = readings.get(0).form();
    List<Reading> others = readings.subList(1, readings.size());
    return Json.object(
        object -> {
          meaning(object, readings.get(0));
          object.array(
              "also",
              names -> texts(names, others.stream().map(other -> other.name(form)).toList()));
        });
  }

  /** Returns a reading with its grounds, its bits, and its fields among them. */
  public static String withGrounds(Reading reading) {
    return Json.object(object -> grounds(object, reading));
  }

  /** Returns every reading, as {@link #withGrounds}. */
  public static String all(List<Reading> readings) {
    return Json.object(object -> object.array("readings", readings, DecodeJson::grounds));
  }

  private static void grounds(Json object, Reading reading) throws IOException {
    meaning(object, reading);
    object
        .text("title", reading.title())
        .text("form", reading.form())
        .flag("plausible", reading.plausible())
        .array("reasons", reasons -> texts(reasons, reading.reasons()))
        .text("binary", reading.binary())
        .array("fields", reading.fields(), DecodeJson::field);
  }

  private static void field(Json object, IdField field) throws IOException {
    object
        .text("field", field.name())
        .number("bits", field.bits())
        .number("shift", field.shift())
        .text("value", field.value());
  }

  private static void meaning(Json object, Reading reading) throws IOException {
    if (reading instanceof NumberReading number) {
      meaning(object, number);
    } else {
      meaning(object, (WideReading) reading);
    }
  }

  /** Writes what a number means; a field that the layout does not have is null. */
  private static void meaning(Json object, NumberReading reading) throws IOException {
    IdLayout layout = reading.layout();
    IdParts parts = reading.parts();
    object
        .id("id", parts.id())
        .text("kind", "number")
        .text("layout", layout.name().orElseGet(layout::toString))
        .time("time", parts.instant())
        .number("timestamp_ms", parts.instant().toEpochMilli());
    number(object, layout, Kind.DATACENTER, parts.datacenter());
    number(object, layout, Kind.WORKER, parts.worker());
    number(object, layout, Kind.SEQUENCE, parts.sequence());
    if (!reading.namespaces().isEmpty()) {
      object.array("namespaces", names -> texts(names, reading.namespaces()));
    }
  }

  private static void texts(Json array, List<String> texts) throws IOException {
    for (String text : texts) {
      array.element(text);
    }
  }

  private static void number(Json object, IdLayout layout, Kind kind, long value)
      throws IOException {
    if (layout.field(kind).isPresent()) {
      object.number(kind.label(), value);
    } else {
      object.none(kind.label());
    }
  }

  private static void meaning(Json object, WideReading reading) throws IOException {
    object.text("id", reading.id()).text("kind", "wide").text("type", reading.type());
    if (reading.instant().isPresent()) {
      object
          .time("time", reading.instant().get())
          .number("timestamp_ms", reading.instant().get().toEpochMilli());
    } else {
      object.none("time").none("timestamp_ms");
    }
    object.object("parts", parts -> parts(parts, reading));
  }

  private static void parts(Json object, WideReading reading) throws IOException {
    for (IdField field : reading.fields()) {
      if (!field.isTime()) {
        object.text(field.name(), field.value());
      }
    }
  }
}
