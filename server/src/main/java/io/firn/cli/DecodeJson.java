package io.firn.cli;

import io.firn.decode.NumberReading;
import io.firn.decode.Reading;
import io.firn.decode.WideReading;
import java.util.List;
import java.util.stream.Collectors;

/** What an ID says, one object a line. */
final class DecodeJson {

  private DecodeJson() {}

  static String of(Reading reading) {
    return "{" + meaning(reading) + "}\n";
  }

  /** The first reading, and the names of the others. */
  static String of(List<Reading> readings) {
    String form = readings.get(0).form();
    List<String> also =
        readings.stream().skip(1).map(reading -> DecodeReport.name(reading, form)).toList();
    return "{" + meaning(readings.get(0)) + ",\"also\":" + Json.array(also) + "}\n";
  }

  /** Every reading with its grounds. */
  static String all(List<Reading> readings) {
    return readings.stream()
        .map(reading -> "{" + meaning(reading) + grounds(reading) + "}\n")
        .collect(Collectors.joining());
  }

  private static String meaning(Reading reading) {
    return reading instanceof NumberReading number
        ? Json.members(number.layout(), number.parts())
        : meaning((WideReading) reading);
  }

  private static String meaning(WideReading reading) {
    return "\"id\":"
        + Json.quoted(reading.id())
        + ",\"type\":"
        + Json.quoted(reading.type())
        + ",\"time\":"
        + reading.instant().map(time -> Json.quoted(Times.utc(time))).orElse("null")
        + ",\"timestamp_ms\":"
        + reading.instant().map(time -> Long.toString(time.toEpochMilli())).orElse("null")
        + reading.fields().entrySet().stream()
            .map(field -> "," + Json.quoted(field.getKey()) + ":" + Json.quoted(field.getValue()))
            .collect(Collectors.joining());
  }

  private static String grounds(Reading reading) {
    return ",\"form\":"
        + Json.quoted(reading.form())
        + ",\"plausible\":"
        + reading.plausible()
        + ",\"reasons\":"
        + Json.array(reading.reasons());
  }
}
