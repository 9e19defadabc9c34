package io.firn.cli;

import io.firn.json.Json;
import io.firn.lease.WorkerEntry;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/** The workers of a namespace: held in green, left to expire in yellow, given back in faint. */
final class WorkerTable {

  private static final String ROW = "%10s  %-8s  %-24s  %-14s  %8s  %s";

  private final Instant now;
  private final Ansi ansi;

  WorkerTable(Instant now, Ansi ansi) {
    this.now = now;
    this.ansi = ansi;
  }

  String of(String namespace, List<WorkerEntry> workers) {
    long held = workers.stream().filter(this::isOpen).count();
    return ansi.string("@|bold " + namespace + "|@")
        + ": "
        + held
        + " held\n"
        + String.format(
            Locale.ROOT, ROW + "\n", "worker", "state", "fence", "", "process", "holder")
        + workers.stream().map(this::row).collect(Collectors.joining());
  }

  private boolean isOpen(WorkerEntry worker) {
    return worker.held() && worker.fence().isAfter(now);
  }

  private String row(WorkerEntry worker) {
    String state = isOpen(worker) ? "held" : worker.held() ? "expired" : "released";
    String style = isOpen(worker) ? "green" : worker.held() ? "yellow" : "faint";
    String row =
        String.format(
            Locale.ROOT,
            ROW,
            worker.worker(),
            state,
            Times.utc(worker.fence()),
            Age.of(worker.fence(), now),
            worker.pid(),
            worker.holder());
    return paint(style, row) + "\n";
  }

  /** Not by markup: a holder's name may hold what markup would read. */
  private String paint(String style, String row) {
    return ansi.enabled()
        ? Ansi.Style.on(Ansi.Style.parse(style)) + row + Ansi.Style.off(Ansi.Style.parse(style))
        : row;
  }

  static String json(String namespace, List<WorkerEntry> workers) {
    return workers.stream()
        .map(worker -> Json.object(object -> members(object, namespace, worker)) + "\n")
        .collect(Collectors.joining());
  }

  private static void members(Json object, String namespace, WorkerEntry worker)
      throws IOException {
    object
        .text("namespace", namespace)
        .number("worker", worker.worker())
        .flag("held", worker.held())
        .time("fence", worker.fence())
        .text("holder", worker.holder())
        .number("pid", worker.pid());
  }
}
