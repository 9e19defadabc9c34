package io.firn.cli;

import io.firn.integration.WorkerFields;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.lease.AfterLoss;
import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import io.firn.lease.WorkerEntry.State;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/** A table of the workers of a namespace: held in green, expired in yellow, released in faint. */
final class WorkerTable {

  private static final String ROW = "%10s  %-8s  %-24s  %-14s  %8s  %s";

  private final Instant now;
  private final Ansi ansi;

  WorkerTable(Instant now, Ansi ansi) {
    this.now = now;
    this.ansi = ansi;
  }

  String of(
      String namespace, Optional<Mark> mark, Optional<Plan> change, List<WorkerEntry> workers) {
    long held = count(workers, State.HELD);
    return ansi.string("@|bold " + namespace + "|@")
        + ": "
        + held
        + " held"
        + others(workers, State.RESERVED, " reserved")
        + others(workers, State.BLOCK, " with blocks of IDs")
        + "\n"
        + mark.map(this::line).orElse("")
        + change.map(this::line).orElse("")
        + String.format(
            Locale.ROOT, ROW + "\n", "worker", "state", "fence", "", "process", "holder")
        + workers.stream().map(worker -> row(mark, change, worker)).collect(Collectors.joining());
  }

  private String others(List<WorkerEntry> workers, State state, String what) {
    long count = count(workers, state);
    return count == 0 ? "" : ", " + count + what;
  }

  private long count(List<WorkerEntry> workers, State state) {
    return workers.stream().filter(worker -> worker.state(now) == state).count();
  }

  private String line(Mark mark) {
    return "mark since "
        + IsoTime.utc(mark.since())
        + ", settling time "
        + HumanText.span(mark.since(), mark.settledAt())
        + ", after-loss "
        + mark.afterLoss().label()
        + ": "
        + newProcesses(mark, now)
        + "\n";
  }

  private String line(Plan change) {
    if (change.fixed() && !now.isBefore(change.at())) {
      return "layout "
          + Arguments.nameOf(change.to())
          + " since "
          + IsoTime.utc(change.at())
          + "\n";
    }
    return "layout "
        + Arguments.nameOf(change.from())
        + " until "
        + IsoTime.utc(change.at())
        + ", "
        + HumanText.age(change.at(), now)
        + ", then "
        + Arguments.nameOf(change.to())
        + (change.fixed() ? "" : ": proposed, not fixed")
        + "\n";
  }

  /** Returns what new processes do under a mark, and until when. */
  static String newProcesses(Mark mark, Instant now) {
    Instant end = mark.settledAt();
    String does = mark.afterLoss() == AfterLoss.WAIT ? "wait" : "lead";
    return now.isBefore(end)
        ? "new processes " + does + " until " + IsoTime.utc(end) + ", " + HumanText.age(end, now)
        : "new processes begin at once";
  }

  private String row(Optional<Mark> mark, Optional<Plan> change, WorkerEntry worker) {
    State state = worker.state(now);
    String row =
        String.format(
            Locale.ROOT,
            ROW,
            worker.worker(),
            state.label(),
            isEndless(worker) ? "" : IsoTime.utc(worker.fence()),
            isEndless(worker) ? "without end" : HumanText.age(worker.fence(), now),
            worker.reserved() ? "" : worker.pid(),
            worker.holder() + lead(mark, worker) + low(worker) + layout(change, worker));
    return paint(style(state), row) + "\n";
  }

  private static boolean isEndless(WorkerEntry worker) {
    return worker.fence().equals(WorkerEntry.NEVER);
  }

  private String lead(Optional<Mark> mark, WorkerEntry worker) {
    return mark.filter(newest -> newest.leads(worker, now))
        .map(newest -> ", leads by " + HumanText.span(now, newest.settledAt()))
        .orElse("");
  }

  /** Returns how far the low mark of a live holder is behind the clock. */
  private String low(WorkerEntry worker) {
    return worker
        .low()
        .filter(unused -> worker.state(now) == State.HELD)
        .map(low -> ", low mark " + HumanText.age(low, now))
        .orElse("");
  }

  /** Returns the layout of a live holder while that changes. */
  private String layout(Optional<Plan> change, WorkerEntry worker) {
    return worker
        .layout()
        .filter(unused -> change.isPresent() && worker.state(now) == State.HELD)
        .map(layout -> ", layout " + Arguments.nameOf(layout))
        .orElse("");
  }

  private static String style(State state) {
    return switch (state) {
      case HELD -> "green";
      case EXPIRED -> "yellow";
      case RELEASED -> "faint";
      case RESERVED, BLOCK -> "cyan";
    };
  }

  /** Colors a row, not by markup: a holder's name may hold what markup would read. */
  private String paint(String style, String row) {
    return ansi.enabled()
        ? Ansi.Style.on(Ansi.Style.parse(style)) + row + Ansi.Style.off(Ansi.Style.parse(style))
        : row;
  }

  /** Returns one JSON object a line. */
  String json(String namespace, Optional<Mark> mark, List<WorkerEntry> workers) {
    return workers.stream()
        .map(worker -> new WorkerFields(namespace, worker, mark, now, Optional.empty()))
        .map(worker -> Json.object(json -> json.members(worker.values())) + "\n")
        .collect(Collectors.joining());
  }
}
