package io.firn.cli;

import io.firn.IdLayout;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/**
 * All named layouts in at most 100 columns, or without their capacity in 80; those that have ended
 * are marked and red.
 */
final class LayoutTable {

  private static final String ROW = "%1$-14s  %2$-43s  %3$10s  %4$9s  %5$s";
  private static final String NARROW_ROW = "%1$-14s  %2$-43s  %5$s";
  private static final int ROW_COLUMNS = 96;

  private final Instant now;
  private final Ansi ansi;
  private final boolean isNarrow;

  LayoutTable(Instant now, Ansi ansi, int columns) {
    this.now = now;
    this.ansi = ansi;
    isNarrow = columns < ROW_COLUMNS;
  }

  @Override
  public String toString() {
    return line("name", "layout", "IDs/s each", "workers", "ends")
        + "\n"
        + IdLayout.named().entrySet().stream().map(this::row).collect(Collectors.joining())
        + "\n* has ended: IDs decode, new ones need another epoch.\n"
        + (isNarrow ? "" : "IDs/s each: what one worker can issue. ")
        + "More on one of them: firn layout NAME\n";
  }

  private String line(Object... cells) {
    return String.format(Locale.ROOT, isNarrow ? NARROW_ROW : ROW, cells);
  }

  private String row(Map.Entry<String, IdLayout> entry) {
    IdLayout layout = entry.getValue();
    boolean ended = !now.isBefore(layout.positiveUntil());
    String row =
        line(
            entry.getKey(),
            layout,
            HumanText.amount(layout.capacityPerSecond()),
            HumanText.amount((double) layout.workers()),
            end(layout) + (ended ? " *" : ""));
    return (ended ? ansi.string("@|red " + row + "|@") : row) + "\n";
  }

  private static String end(IdLayout layout) {
    var end = layout.positiveUntil().atZone(ZoneOffset.UTC).toLocalDate();
    return end.getYear() > 9999 ? "year " + end.getYear() : end.toString();
  }
}
