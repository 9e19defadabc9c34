package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.WorkerSet;
import io.firn.internal.IsoTime;
import io.firn.internal.WholeNumber;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes worker IDs from their holders, or ends reservations. */
@Command(
    name = "release",
    description = {
      "Take a worker ID away from its holder. Its fence stays, so no ID is issued twice: a live"
          + " holder continues until the fence at most, then leases another worker ID.",
      "With --newest-id the fence is lowered, if a wrong clock moved it far ahead. DANGER: IDs are"
          + " issued twice if the holder still runs, is stopped and wakes up later, or has issued a"
          + " newer ID.",
      "A reserved worker ID needs --newest-id, the largest ID of the other system, on any worker"
          + " ID, which must issue none any more."
    })
final class ReleaseCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin WorkerOptions options = new WorkerOptions();

  @Option(
      names = "--newest-id",
      paramLabel = "ID",
      description = {
        "Lower the fence to past this ID, the newest that the worker ID has issued, or `none`.",
        "It is not lowered to less than a window, 5 s and the settling time past the clock; a lease"
            + " with an earlier fence is refused."
      })
  @Nullable String newestId;

  @Parameters(
      paramLabel = "WORKERS",
      description = "Worker IDs (7 or 0-31,40); datacenter and worker as one number.")
  @Nullable WorkerSet workers;

  ReleaseCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    try (RegisterStore opened = options.open(shell)) {
      for (WorkerEntry released : release(Namespace.of(opened, options.namespace))) {
        shell.print(describe(released) + "\n");
      }
    }
    shell.out().flush();
    return 0;
  }

  private List<WorkerEntry> release(Namespace of) {
    WorkerSet all = Objects.requireNonNull(workers);
    if (newestId == null) {
      return of.release(all);
    }
    try {
      return of.release(all, issuedBefore(of, newestId, all));
    } catch (IllegalArgumentException e) {
      throw new BadInput(BadInput.text(e).replaceFirst("^issuedBefore: ", "newest-id: "));
    }
  }

  private Instant issuedBefore(Namespace of, String newest, WorkerSet all) {
    if (newest.equals("none")) {
      return Instant.EPOCH;
    }
    IdLayout current =
        of.layout()
            .orElseThrow(
                () ->
                    new BadInput(
                        "namespace: " + options.namespace + " (expected: one that the store has)"));
    List<WorkerEntry> entries =
        of.workers().stream().filter(entry -> all.contains(entry.worker())).toList();
    IdLayout layout = layoutOf(entries, current, all);
    IdParts parts = layout.parse(number(newest));
    long issuer = layout.workerId(parts.datacenter(), parts.worker());
    for (WorkerEntry entry : entries) {
      if (entry.worker() != issuer && !entry.reserved()) {
        throw new BadInput(
            "newest-id: "
                + newest
                + " (expected: an ID of worker "
                + entry.worker()
                + ", which is not reserved; it is of "
                + issuer
                + ")");
      }
    }
    return parts.instant().plus(layout.tick());
  }

  /** Returns the layout of the newest ID: another system stays in that of its reservation. */
  private static IdLayout layoutOf(List<WorkerEntry> entries, IdLayout current, WorkerSet all) {
    List<IdLayout> layouts =
        entries.stream()
            .map(entry -> entry.reserved() ? entry.layout().orElse(current) : current)
            .distinct()
            .toList();
    if (layouts.size() > 1) {
      throw new BadInput(
          "workers: "
              + all
              + " (expected: those of one layout, by which the newest ID is read; they have "
              + layouts.stream().map(IdLayout::toString).collect(Collectors.joining(", "))
              + ")");
    }
    return layouts.isEmpty() ? current : layouts.get(0);
  }

  private static long number(String id) {
    try {
      return WholeNumber.parse(id);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "newest-id: " + id + " (expected: a decimal ID, or none)", e);
    }
  }

  private String describe(WorkerEntry entry) {
    return options.namespace
        + ": worker "
        + entry.worker()
        + (entry.reserved() ? ", reserved for " : " of ")
        + entry.holder()
        + (entry.reserved() ? "" : ", process " + entry.pid())
        + ", is released, and free from "
        + IsoTime.utc(entry.fence())
        + " on";
  }
}
