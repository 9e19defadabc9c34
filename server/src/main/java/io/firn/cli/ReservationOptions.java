package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.IsoTime;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a reservation: the store, the namespace and the end. */
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
      description =
          "The end of the reservation, a day in UTC or an instant; by default it has no" + " end.")
  @Nullable Instant until;

  @Option(
      names = "--allow-may-forget",
      description = "Reserve in a store that may lose the reservation, such as Redis.")
  boolean allowMayForget;

  /** Returns the layout of the namespace, and the one that was given where it has none. */
  IdLayout layoutOf(Namespace of) {
    if (layout != null) {
      return layout; // another one than recorded is refused
    }
    return of.layout()
        .orElseThrow(
            () ->
                new BadInput(
                    "layout: not set (expected: the layout of "
                        + at.namespace
                        + ", which is a new namespace)"));
  }

  /** Checks what {@link #reserve} would refuse, and writes nothing. */
  void check(Namespace of, WorkerSet workers, String by) {
    of.checkReservable(workers, layoutOf(of), by, end(), allowMayForget);
  }

  /** Reserves workers, all or, if one of them is not free, none; returns what to print. */
  String reserve(Namespace of, WorkerSet workers, String by) {
    List<WorkerEntry> entries = of.reserve(workers, layoutOf(of), by, end(), allowMayForget);
    boolean longer = entries.stream().anyMatch(entry -> entry.fence().isAfter(end()));
    return of.name()
        + ": "
        + workers.size()
        + (workers.size() == 1 ? " worker ID is" : " worker IDs are")
        + " reserved for "
        + by
        + (until == null ? "" : " until " + IsoTime.utc(until))
        + ": "
        + workers
        + (longer ? "; some were reserved for longer before, and stay so" : "")
        + "\n";
  }

  private Instant end() {
    return until == null ? WorkerEntry.NEVER : until;
  }

  /**
   * Opens the store, and runs an action on the namespace. No directory or table is made for workers
   * that a new namespace refuses.
   *
   * @param store opens the store
   */
  void run(
      Shell shell,
      Supplier<RegisterStore> store,
      WorkerSet workers,
      String by,
      NamespaceAction action)
      throws IOException {
    try {
      if (layout != null) {
        check(Namespace.of(new InMemoryRegisterStore(), at.namespace), workers, by);
      }
      StoreOptions.run(
          shell, store.get(), opened -> action.run(Namespace.of(opened, at.namespace)));
    } catch (IllegalArgumentException e) {
      throw new BadInput(BadInput.text(e).replaceFirst("^by: ", "for: "));
    }
  }

  /** The work that a command does with its namespace. */
  @FunctionalInterface
  interface NamespaceAction {
    void run(Namespace namespace) throws IOException;
  }
}
