package io.firn.cli;

import io.firn.IdLayout;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds the IDs of a time range. */
@Command(
    name = "range",
    description = "Show the smallest and the largest ID of a time range, for WHERE id BETWEEN.",
    footer = {
      "",
      "A time is a day (2026-11-01, in UTC) or an instant (2026-11-01T09:30:00Z).",
      "IDs of FROM are included, those of TO are not; a tick is never divided."
    })
final class RangeCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(index = "0", paramLabel = "FROM", description = "The beginning of the range.")
  @Nullable Instant from;

  @Parameters(index = "1", paramLabel = "TO", description = "The end of the range.")
  @Nullable Instant to;

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of the IDs; classic by default.")
  IdLayout layout = IdLayout.CLASSIC;

  @Option(names = "--json", description = "Write an object.")
  boolean json;

  RangeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    Instant begin = Objects.requireNonNull(from);
    Instant end = Objects.requireNonNull(to);
    if (!begin.isBefore(end)) {
      throw new BadInput(
          "to: " + IsoTime.utc(end) + " (expected: later than " + IsoTime.utc(begin) + ")");
    }
    try {
      print(layout.minId(begin), layout.maxId(end.minusNanos(1)));
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    shell.out().flush();
    return 0;
  }

  private void print(long smallest, long largest) throws IOException {
    shell.print(
        json
            ? object(smallest, largest) + "\n"
            : line("smallest", smallest) + line("largest", largest));
  }

  private String object(long smallest, long largest) {
    return Json.object(
        object ->
            object
                .text("layout", Arguments.nameOf(layout))
                .id("smallest", smallest)
                .id("largest", largest));
  }

  private String line(String label, long id) {
    return String.format(
        Locale.ROOT,
        "%-8s  %s  %s\n",
        label,
        Long.toUnsignedString(id),
        IsoTime.utc(layout.parse(id).instant()));
  }
}
