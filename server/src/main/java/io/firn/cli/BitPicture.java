package io.firn.cli;

import io.firn.IdLayout;
import io.firn.decode.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import picocli.CommandLine.Help.Ansi;

/**
 * The bits of an ID, grouped by field, 64 in a row, or 32 on a narrow terminal. Fields differ in
 * color, and a ruler names them by their letters where there is none; unused high bits are ruled
 * with dashes.
 */
final class BitPicture {

  private static final String INDENT = "  ";
  private static final int ROW = 64;
  private static final int SHORT_ROW = 32;

  /** The width of a row of 64 bits, with its indent and a space between its fields. */
  private static final int ROW_COLUMNS = 74;

  private static final String UNUSED = "-";
  private static final List<String> OTHER_COLORS = List.of("green", "magenta", "yellow");

  /** The bits of one field, counted from the highest one of the ID. */
  private record Group(String name, String color, int begin, int end) {}

  private final int width;
  private final int row;
  private final Ansi ansi;
  private final List<Group> groups = new ArrayList<>();

  BitPicture(IdLayout layout, Ansi ansi, int columns) {
    this(ROW, ansi, columns);
    layout.fields().forEach(field -> add(field.kind().label(), field.bits(), field.shift()));
  }

  BitPicture(Reading reading, Ansi ansi, int columns) {
    this(reading.binary().length(), ansi, columns);
    reading.fields().forEach(field -> add(field.name(), field.bits(), field.shift()));
  }

  private BitPicture(int width, Ansi ansi, int columns) {
    this.width = width;
    row = columns < ROW_COLUMNS ? SHORT_ROW : ROW;
    this.ansi = ansi;
  }

  private void add(String name, int bits, int shift) {
    int begin = width - shift - bits;
    if (groups.isEmpty() && begin > 0) {
      groups.add(new Group(UNUSED, "faint", 0, begin));
    }
    groups.add(new Group(name, color(name, groups.size()), begin, begin + bits));
  }

  private static String color(String name, int index) {
    return switch (name) {
      case "time", "time_low", "time_mid", "time_high" -> "cyan";
      case "datacenter" -> "magenta";
      case "worker" -> "yellow";
      case "sequence" -> "green";
      case "version", "variant" -> "faint";
      default -> OTHER_COLORS.get(index % OTHER_COLORS.size());
    };
  }

  /** Returns the bits of an ID, zeros and ones, above the ruler: two lines for every row. */
  String of(String binary) {
    StringBuilder rows = new StringBuilder();
    for (int from = 0; from < width; from += row) {
      rows.append(grouped(binary, from)).append(grouped(letters(), from));
    }
    return rows.toString();
  }

  /** Returns the letter of its field at each bit. */
  String ruler() {
    StringBuilder rows = new StringBuilder();
    for (int from = 0; from < width; from += row) {
      rows.append(grouped(letters(), from));
    }
    return rows.toString();
  }

  private String letters() {
    StringBuilder letters = new StringBuilder();
    for (Group group : groups) {
      letters.append(group.name().substring(0, 1).repeat(group.end() - group.begin()));
    }
    return letters.toString();
  }

  private String grouped(String bits, int from) {
    StringJoiner grouped = new StringJoiner(" ", INDENT, "\n");
    for (Group group : groups) {
      int begin = Math.max(group.begin(), from);
      int end = Math.min(group.end(), from + row);
      if (begin < end) {
        grouped.add(paint(group.color(), bits.substring(begin, end)));
      }
    }
    return grouped.toString();
  }

  /** Returns a field's name in its color. */
  String label(String name) {
    String color =
        groups.stream()
            .filter(group -> group.name().equals(name))
            .map(Group::color)
            .findFirst()
            .orElseGet(() -> color(name, 0));
    return paint(color, name);
  }

  private String paint(String style, String text) {
    return ansi.string("@|" + style + " " + text + "|@");
  }
}
