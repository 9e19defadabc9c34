package io.firn.cli;

import io.firn.IdLayout;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/** All named layouts in at most 100 columns; those that have ended are marked and red. */
final class LayoutTable {

  private static final String ROW = "%-14s  %-43s  %10s  %9s  %s";

  private final Instant now;
  private final Ansi ansi;

  LayoutTable(Instant now, Ansi ansi) {
    this.now = now;
    this.ansi = ansi;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, ROW + "\n", "name", "layout", "IDs/s each", "workers", "ends")
        + IdLayout.named().entrySet().stream().map(this::row).collect(Collectors.joining())
        + "\n* has ended: IDs decode, new ones need another epoch.\n"
        + "IDs/s each: what one worker can issue. More on one of them: firn layout NAME\n";
  }

  private String row(Map.Entry<String, IdLayout> entry) {
    IdLayout layout = entry.getValue();
    boolean ended = !now.isBefore(layout.positiveUntil());
    String row =
        String.format(
            Locale.ROOT,
            ROW + "%s",
            entry.getKey(),
            layout,
            HumanText.amount(layout.capacityPerSecond()),
            HumanText.amount((double) layout.workers()),
            end(layout),
            ended ? " *" : "");
    return (ended ? ansi.string("@|red " + row + "|@") : row) + "\n";
  }

  private static String end(IdLayout layout) {
    var end = layout.positiveUntil().atZone(ZoneOffset.UTC).toLocalDate();
    return end.getYear() > 9999 ? "year " + end.getYear() : end.toString();
  }
}
