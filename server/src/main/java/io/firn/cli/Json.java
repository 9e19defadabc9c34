package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One ID as a line of JSON. Written by hand: there are numbers, ISO instants, and names and text
 * forms of layouts. The ID is a string, so that JavaScript keeps it.
 */
final class Json {

  private Json() {}

  /** The members of an object; a field that the layout does not have is {@code null}. */
  static String members(IdLayout layout, IdParts parts) {
    return "\"id\":"
        + quoted(Long.toUnsignedString(parts.id()))
        + ",\"layout\":"
        + quoted(LayoutArgument.nameOf(layout))
        + ",\"time\":"
        + quoted(Times.utc(parts.instant()))
        + ",\"timestamp_ms\":"
        + parts.instant().toEpochMilli()
        + ",\"datacenter\":"
        + number(layout, Kind.DATACENTER, parts.datacenter())
        + ",\"worker\":"
        + number(layout, Kind.WORKER, parts.worker())
        + ",\"sequence\":"
        + number(layout, Kind.SEQUENCE, parts.sequence());
  }

  private static String number(IdLayout layout, Kind kind, long value) {
    return layout.field(kind).isPresent() ? Long.toString(value) : "null";
  }

  /** An array of texts. */
  static String array(List<String> texts) {
    return texts.stream().map(Json::quoted).collect(Collectors.joining(",", "[", "]"));
  }

  /** Text of visible ASCII characters as a JSON string. */
  static String quoted(String plain) {
    return '"' + plain.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
