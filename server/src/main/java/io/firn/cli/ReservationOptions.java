package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.json.IsoTime;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where worker IDs are reserved, and until when. */
final class ReservationOptions {

  @Mixin WorkerOptions at = new WorkerOptions();

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of the namespace, if that is new.")
  @Nullable IdLayout layout;

  @Option(
      names = "--until",
      paramLabel = "T",
      description = "When it ends, a day in UTC or an instant; never unless given.")
  @Nullable Instant until;

  @Option(
      names = "--allow-may-forget",
      description = "Reserve in a store that may lose the reservation, such as Redis.")
  boolean allowMayForget;

  /** Returns the layout of the namespace, and the one that was given where it has none. */
  IdLayout layoutOf(Namespace of) {
    Optional<IdLayout> recorded = of.layout();
    if (layout != null) {
      return layout; // another one than recorded is refused
    }
    return recorded.orElseThrow(
        () ->
            new BadInput(
                "layout: not set (expected: the layout of "
                    + at.namespace
                    + ", which is a new namespace)"));
  }

  /** Reserves workers, all or, if one of them is not free, none; returns what to print. */
  String reserve(Namespace of, WorkerSet workers, String by, Instant now) {
    IdLayout common = layoutOf(of);
    WorkerSet checked = workers.within(common);
    requireFree(of, checked, by, now);
    Instant end = until == null ? WorkerEntry.NEVER : until;
    boolean longer = false;
    for (long worker : checked.stream().toArray()) {
      WorkerEntry entry = of.reserve(worker, common, by, end, allowMayForget);
      longer |= entry.fence().isAfter(end);
    }
    return of.name()
        + ": "
        + checked.size()
        + (checked.size() == 1 ? " worker ID is" : " worker IDs are")
        + " reserved for "
        + by
        + (until == null ? "" : " until " + IsoTime.utc(until))
        + ": "
        + checked
        + (longer ? "; some were reserved for longer before, and stay so" : "")
        + "\n";
  }

  private static void requireFree(Namespace of, WorkerSet workers, String by, Instant now) {
    List<WorkerEntry> taken =
        of.workers().stream()
            .filter(entry -> workers.contains(entry.worker()))
            .filter(entry -> !entry.reserved() || !entry.holder().equals(by))
            .toList();
    taken.stream()
        .filter(entry -> entry.fence().isAfter(now))
        .findFirst()
        .ifPresent(
            entry -> {
              throw new IllegalStateException(
                  "worker "
                      + entry.worker()
                      + " of "
                      + of.name()
                      + (entry.reserved()
                          ? " is reserved for "
                          : entry.held()
                              ? " is leased to "
                              : " was given back with IDs past the clock by ")
                      + entry.holder()
                      + " (expected: free; nothing was reserved)");
            });
  }

  /** Opens the store, and runs an action on the namespace; what it refuses is bad input. */
  void run(Shell shell, NamespaceAction action) throws IOException {
    try (RegisterStore store = at.open(shell)) {
      action.run(Namespace.of(store, at.namespace));
    } catch (IllegalArgumentException
        | IllegalStateException
        | UnsupportedOperationException
        | LayoutMismatchException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    shell.out().flush();
  }

  /** What a command does with its namespace. */
  @FunctionalInterface
  interface NamespaceAction {
    void run(Namespace namespace) throws IOException;
  }
}
