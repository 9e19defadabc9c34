package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.IdParts;
import io.firn.IdSpace;
import io.firn.WorkerSet;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Decides whether two generators can issue the same number. */
@Command(
    name = "disjoint",
    description = "Decide whether two generators can ever issue the same number.",
    exitCodeList = {
      "0:they cannot",
      "1:they can; one such number is shown",
      "2:bad input",
      "3:a failure: no answer"
    },
    exitCodeOnExecutionException = VerifyCommand.NO_ANSWER,
    footer = {
      "",
      "Workers are numbers and ranges (0-31,40); where a layout has a datacenter, datacenter and"
          + " worker as one number. Times are days (2026-11-01, in UTC) or instants, of the time in"
          + " the IDs; by default, all times of the layout.",
      "The answer is exact, not a sample."
    })
final class DisjointCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(
      index = "0",
      paramLabel = "LAYOUT-A",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of A: a name or a text form.")
  @Nullable IdLayout layoutA;

  @Parameters(
      index = "1",
      paramLabel = "LAYOUT-B",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of B.")
  @Nullable IdLayout layoutB;

  @Option(
      names = "--workers-a",
      paramLabel = "SET",
      description = "The worker IDs of A; all by default.")
  @Nullable WorkerSet workersA;

  @Option(names = "--from-a", paramLabel = "T", description = "The first time of A.")
  @Nullable Instant fromA;

  @Option(names = "--to-a", paramLabel = "T", description = "The end of A's times, exclusive.")
  @Nullable Instant toA;

  @Option(
      names = "--workers-b",
      paramLabel = "SET",
      description = "The worker IDs of B; all by" + " default.")
  @Nullable WorkerSet workersB;

  @Option(names = "--from-b", paramLabel = "T", description = "The first time of B.")
  @Nullable Instant fromB;

  @Option(names = "--to-b", paramLabel = "T", description = "The end of B's times, exclusive.")
  @Nullable Instant toB;

  @Option(names = "--json", description = "Write an object.")
  boolean json;

  DisjointCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    IdSpace a = space("a", Objects.requireNonNull(layoutA), workersA, fromA, toA);
    IdSpace b = space("b", Objects.requireNonNull(layoutB), workersB, fromB, toB);
    OptionalLong common = a.common(b);
    shell.print(json ? object(a, b, common) + "\n" : report(a, b, common));
    shell.out().flush();
    return common.isPresent() ? 1 : 0;
  }

  private static IdSpace space(
      String side,
      IdLayout layout,
      @Nullable WorkerSet workers,
      @Nullable Instant from,
      @Nullable Instant to) {
    if (from != null && to != null && !from.isBefore(to)) {
      throw new BadInput(
          interval(side, from, null) + " (expected: before " + interval(side, null, to) + ")");
    }
    IdSpace space = IdSpace.of(layout);
    try {
      space = workers == null ? space : space.withWorkers(workers);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          String.valueOf(e.getMessage()).replaceFirst("^workers", "workers-" + side));
    }
    space = from == null ? space : space.from(from);
    space = to == null ? space : space.until(to);
    if (space.isEmpty()) {
      throw new BadInput(interval(side, from, to) + " (expected: times of " + times(layout) + ")");
    }
    return space;
  }

  private static String interval(String side, @Nullable Instant from, @Nullable Instant to) {
    String begin = from == null ? "" : "from-" + side + ": " + IsoTime.utc(from);
    String end = to == null ? "" : "to-" + side + ": " + IsoTime.utc(to);
    return begin.isEmpty() || end.isEmpty() ? begin + end : begin + ", " + end;
  }

  private static String times(IdLayout layout) {
    return Arguments.nameOf(layout)
        + ", from "
        + IsoTime.utc(layout.epoch())
        + " to before "
        + IsoTime.utc(layout.expiresAt());
  }

  private String report(IdSpace a, IdSpace b, OptionalLong common) {
    if (common.isEmpty()) {
      return shell.ansi().string("@|green disjoint|@: they never issue the same number\n");
    }
    long id = common.getAsLong();
    return shell.ansi().string("@|red not disjoint|@: both can issue ")
        + Long.toUnsignedString(id)
        + "\n"
        + maker("a", a, id)
        + maker("b", b, id);
  }

  private static String maker(String side, IdSpace space, long id) {
    IdLayout layout = space.layout();
    IdParts parts = layout.parse(id);
    StringBuilder line = new StringBuilder("  ").append(side).append("  ");
    line.append(String.format(Locale.ROOT, "%-14s", Arguments.nameOf(layout)));
    line.append("  at ").append(IsoTime.utc(parts.instant()));
    part(line, layout, Kind.DATACENTER, parts.datacenter());
    part(line, layout, Kind.WORKER, parts.worker());
    part(line, layout, Kind.SEQUENCE, parts.sequence());
    return line.append("\n").toString();
  }

  private static void part(StringBuilder line, IdLayout layout, Kind kind, long value) {
    if (layout.bits(kind) > 0) {
      line.append(", ").append(kind.label()).append(' ').append(value);
    }
  }

  private static String object(IdSpace a, IdSpace b, OptionalLong common) {
    return Json.object(
        object -> {
          object.flag("disjoint", common.isEmpty());
          if (common.isPresent()) {
            object.id("id", common.getAsLong());
            maker(object, "a", a, common.getAsLong());
            maker(object, "b", b, common.getAsLong());
          }
        });
  }

  private static void maker(Json object, String side, IdSpace space, long id) throws IOException {
    IdParts parts = space.layout().parse(id);
    object
        .text(side + "_layout", Arguments.nameOf(space.layout()))
        .time(side + "_time", parts.instant())
        .number(side + "_worker", space.layout().workerId(parts.datacenter(), parts.worker()))
        .number(side + "_sequence", parts.sequence());
  }
}
