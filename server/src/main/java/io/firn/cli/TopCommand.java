package io.firn.cli;

import io.firn.FirnException;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.lease.WorkerEntry.State;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A table of namespaces and workers, drawn again and again. */
@Command(
    name = "top",
    description = {
      "Show the namespaces and workers of a store or a server, refreshed every two seconds.",
      "Ctrl-C ends it. If the output is not a terminal of Linux, they are shown once; -n repeats"
          + " it."
    })
final class TopCommand implements Callable<Integer> {

  private static final int MOST_WORKERS = 30;
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private final Shell shell;

  @Mixin StoreOptions options = new StoreOptions();

  @Option(
      names = "--server",
      paramLabel = "http://HOST:PORT",
      description = "Show a server instead of a store. FIRN_TOKEN is the token.")
  @Nullable URI server;

  @Option(
      names = {"-n", "--count"},
      paramLabel = "COUNT",
      converter = Arguments.Count.class,
      description = "The number of refreshes; unlimited by default.")
  @Nullable Long count;

  TopCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (server != null && options.isGiven()) {
      throw new BadInput("option: --server (expected: not with --store or --namespace)");
    }
    if (server != null) {
      ServerTop top = new ServerTop(shell, server);
      repeat(top::text);
      return 0;
    }
    try (RegisterStore store = options.open(shell)) {
      repeat(columns -> stored(store, columns));
    }
    return 0;
  }

  /** The content that is shown, in lines of at most a given width. */
  private interface Tables {
    String text(int columns);
  }

  /** Shows the tables again and again; from the second time on, a failure is shown above them. */
  private void repeat(Tables tables) throws IOException {
    String newest = "";
    Instant at = shell.now();
    for (long left = times(); left > 0; left--) {
      String failure = "";
      Terminal.Size size = shell.size();
      try {
        newest = tables.text(shell.terminal() ? size.columns() : Integer.MAX_VALUE);
        at = shell.now();
      } catch (FirnException | BadInput e) {
        if (newest.isEmpty()) {
          throw e;
        }
        failure = e.getMessage() + "\nNot refreshed since " + at + ".\n\n";
      }
      shell.print(shell.terminal() ? CLEAR + screen(failure + newest, size.rows() - 1) : newest);
      shell.out().flush();
      if (left > 1) {
        shell.time().parkNanos(EVERY_NANOS);
      }
    }
  }

  private long times() {
    return count != null ? count : shell.terminal() ? Long.MAX_VALUE : 1;
  }

  /** Returns the lines for which there is room. */
  private static String screen(String text, int room) {
    List<String> lines = text.lines().toList();
    if (lines.size() <= room) {
      return text;
    }
    int shown = Math.max(1, room - 1);
    return String.join("\n", lines.subList(0, shown))
        + "\n… and "
        + (lines.size() - shown)
        + " more lines\n";
  }

  private String stored(RegisterStore store, int columns) {
    Instant now = shell.now();
    Map<String, List<WorkerEntry>> all = Namespace.workers(store, options.namespacesThere(store));
    Grid namespaces =
        new Grid(
            "llrrrrrl",
            "namespace",
            "layout",
            "held",
            "expired",
            "released",
            "reserved",
            "blocks",
            "next fence");
    List<Map.Entry<String, WorkerEntry>> workers = new ArrayList<>();
    all.forEach(
        (name, entries) -> {
          entries.forEach(entry -> workers.add(Map.entry(name, entry)));
          namespaces.add(
              name,
              Namespace.of(store, name).layout().map(Arguments::nameOf).orElse("-"),
              count(entries, State.HELD, now),
              count(entries, State.EXPIRED, now),
              count(entries, State.RELEASED, now),
              count(entries, State.RESERVED, now),
              count(entries, State.BLOCK, now),
              nextFence(entries, now));
        });
    return store
        + "  "
        + now
        + "\n\n"
        + namespaces.text(columns)
        + "\n"
        + workers(workers, now, columns);
  }

  private static String workers(
      List<Map.Entry<String, WorkerEntry>> workers, Instant now, int columns) {
    Grid grid = new Grid("lrllrl", "namespace", "worker", "state", "fence", "process", "holder");
    workers.sort(Comparator.comparing(each -> each.getValue().state(now)));
    workers.stream()
        .limit(MOST_WORKERS)
        .forEach(
            each -> {
              WorkerEntry worker = each.getValue();
              grid.add(
                  each.getKey(),
                  worker.worker(),
                  worker.state(now).label(),
                  worker.fence().equals(WorkerEntry.NEVER)
                      ? "none"
                      : HumanText.age(worker.fence(), now),
                  worker.pid(),
                  worker.holder());
            });
    return grid.text(columns)
        + (workers.size() > MOST_WORKERS
            ? "… and " + (workers.size() - MOST_WORKERS) + " more\n"
            : "");
  }

  private static String nextFence(List<WorkerEntry> entries, Instant now) {
    return entries.stream()
        .filter(entry -> entry.state(now) == State.HELD)
        .map(WorkerEntry::fence)
        .min(Comparator.naturalOrder())
        .map(first -> HumanText.age(first, now))
        .orElse("-");
  }

  private static long count(List<WorkerEntry> entries, State state, Instant now) {
    return entries.stream().filter(entry -> entry.state(now) == state).count();
  }
}
