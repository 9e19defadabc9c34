package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import io.firn.internal.IsoTime;
import java.time.Instant;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;

/** The capacity of one layout, and its end. */
final class LayoutReport {

  private final IdLayout layout;
  private final Instant now;
  private final Ansi ansi;
  private final BitPicture picture;

  LayoutReport(IdLayout layout, Instant now, Ansi ansi, int columns) {
    this.layout = layout;
    this.now = now;
    this.ansi = ansi;
    picture = new BitPicture(layout, ansi, columns);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    layout.name().ifPresent(name -> text.append(name).append("  "));
    text.append(layout).append("\n\n").append(picture.ruler()).append("\n");
    layout.fields().forEach(field -> text.append(field(field)));
    return text.append("\n").append(capacity()).append(life()).toString();
  }

  private String field(Field field) {
    Kind kind = field.kind();
    String meaning =
        kind == Kind.TIME
            ? "ticks of " + layout.tick().toMillis() + " ms since the epoch"
            : "0.." + field.max();
    return line(kind.label(), String.format(Locale.ROOT, "%2d bits  %s", field.bits(), meaning))
        .replaceFirst(kind.label(), picture.label(kind.label()));
  }

  private String capacity() {
    double each = layout.capacityPerSecond();
    return line("a worker", HumanText.amount(each) + " IDs/s")
        + line(
            "the fleet",
            HumanText.amount(each * layout.workers())
                + " IDs/s from "
                + HumanText.amount((double) layout.workers())
                + " workers");
  }

  private String life() {
    String text =
        line("epoch", IsoTime.utc(layout.epoch())) + line("end", end(layout.positiveUntil()));
    return layout.positiveUntil().equals(layout.expiresAt())
        ? text
        : text
            + line("", "there the sign flips, and Firn issues none after it;")
            + line("", "the bits last until " + IsoTime.utc(layout.expiresAt()));
  }

  private String end(Instant end) {
    String text = IsoTime.utc(end) + ", " + HumanText.age(end, now);
    return now.isBefore(end) ? text : ansi.string("@|red " + text + "|@");
  }

  private static String line(String label, String value) {
    return String.format(Locale.ROOT, "  %-10s  %s\n", label, value);
  }
}
