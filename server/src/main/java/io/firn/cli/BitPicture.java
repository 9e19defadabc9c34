package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import io.firn.text.IdFormat;
import java.util.StringJoiner;
import picocli.CommandLine.Help.Ansi;

/**
 * The 64 bits of a layout, grouped by field. Fields differ in colour, and a ruler names them by
 * their letters where there is none; unused high bits are ruled with dashes.
 */
final class BitPicture {

  private static final String INDENT = "  ";

  private final IdLayout layout;
  private final Ansi ansi;

  BitPicture(IdLayout layout, Ansi ansi) {
    this.layout = layout;
    this.ansi = ansi;
  }

  /** The bits of an ID above the ruler: two lines. */
  String of(long id) {
    return grouped(IdFormat.BINARY.format(id)) + ruler();
  }

  /** A line with the letter of its field at each bit. */
  String ruler() {
    StringBuilder letters = new StringBuilder("-".repeat(unused()));
    for (Field field : layout.fields()) {
      letters.append(field.kind().label().substring(0, 1).repeat(field.bits()));
    }
    return grouped(letters.toString());
  }

  private int unused() {
    return 64 - layout.totalBits();
  }

  private String grouped(String bits) {
    StringJoiner groups = new StringJoiner(" ", INDENT, "\n");
    if (unused() > 0) {
      groups.add(paint("faint", bits.substring(0, unused())));
    }
    for (Field field : layout.fields()) {
      int end = 64 - field.shift();
      groups.add(paint(color(field.kind()), bits.substring(end - field.bits(), end)));
    }
    return groups.toString();
  }

  /** A field's name in its colour. */
  String label(Kind kind) {
    return paint(color(kind), kind.label());
  }

  private String paint(String style, String text) {
    return ansi.string("@|" + style + " " + text + "|@");
  }

  private static String color(Kind kind) {
    return switch (kind) {
      case TIME -> "cyan";
      case DATACENTER -> "magenta";
      case WORKER -> "yellow";
      case SEQUENCE -> "green";
    };
  }
}
