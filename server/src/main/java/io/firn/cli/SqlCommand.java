package io.firn.cli;

import io.firn.IdLayout;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.lease.LayoutChange;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the SQL that makes IDs of a namespace in the database of its registers. */
@Command(
    name = "sql",
    description = {
      "Print the SQL that makes IDs in a database.",
      "It has firn_next('orders') for DEFAULT, firn_time(id) and firn_min(time). It uses a worker"
          + " ID that is reserved for it, so services and SQL sessions share the namespace."
    },
    footer = {
      "",
      "firn workers reserve 17 --namespace orders --for sql --store URI",
      "firn sql postgres --namespace orders --worker 17 --store URI | psql"
    })
final class SqlCommand implements Callable<Integer> {

  /** For whom the worker ID is reserved. */
  static final String BY = "sql";

  private final Shell shell;

  @Parameters(paramLabel = "DATABASE", description = "postgres or mariadb.")
  @Nullable SqlDatabase database;

  @Option(
      names = "--worker",
      paramLabel = "N",
      required = true,
      description = "The worker ID: one that is reserved for sql, without an end.")
  long worker;

  @Option(
      names = "--outside-watermark",
      description = "Make IDs in a namespace with a watermark, whose readers may miss their rows.")
  boolean outsideWatermark;

  @Option(
      names = "--allow-may-forget",
      description = "Make IDs in a database that may lose the reservation.")
  boolean allowMayForget;

  @Mixin WorkerOptions at = new WorkerOptions();

  SqlCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    SqlDatabase kind = Objects.requireNonNull(database);
    String address = requireAddress(kind);
    try (RegisterStore store = at.open(shell)) {
      if (store.mayForget() && !allowMayForget) {
        throw new BadInput(
            "store: "
                + store
                + " (expected: one that keeps what it acknowledged; this one may lose the"
                + " reservation, and a lease then takes the worker. --allow-may-forget admits it)");
      }
      shell.print(script(kind, address, store));
    }
    shell.out().flush();
    return 0;
  }

  private String requireAddress(SqlDatabase kind) {
    String address = at.store.address(shell);
    if (address == null || !kind.isAddress(address)) {
      throw new BadInput(
          "store: "
              + (address == null ? "not set" : StoreUri.parse(address))
              + " (expected: the database that makes the IDs, with the registers of the namespace: "
              + kind.example()
              + ")");
    }
    return address;
  }

  private String script(SqlDatabase kind, String address, RegisterStore store) {
    Namespace namespace = Namespace.of(store, at.namespace);
    IdLayout layout =
        namespace
            .layout()
            .orElseThrow(
                () ->
                    new BadInput(
                        "namespace: "
                            + at.namespace
                            + " (expected: one with a layout; it is new. First: "
                            + reserve(address)
                            + " --layout classic)"));
    requireUnchanged(LayoutChange.of(store, at.namespace).current(), layout);
    WorkerEntry reserved = reserved(namespace, layout, address);
    if (!outsideWatermark && store.read(at.namespace + "/watermark").isPresent()) {
      throw new BadInput(
          "namespace: "
              + at.namespace
              + " (expected: one without a watermark, or --outside-watermark: its readers may miss"
              + " rows whose IDs are made in SQL)");
    }
    String table = StoreUri.parse(address).parameter("table").orElse(JdbcRegisterStore.TABLE);
    return new SqlScript(kind, table, at.namespace, layout, reserved, outsideWatermark)
        .text(reserve(null));
  }

  /** Refuses a namespace whose change of layout is in force: the functions have one layout. */
  private void requireUnchanged(Optional<LayoutChange.Plan> change, IdLayout layout) {
    if (change.isPresent() && change.get().to().equals(layout)) {
      throw new BadInput(
          "namespace: "
              + at.namespace
              + " (expected: one whose layout was not changed; it has layout "
              + Arguments.nameOf(layout)
              + " since "
              + change.get().at()
              + ")");
    }
  }

  private WorkerEntry reserved(Namespace namespace, IdLayout layout, String address) {
    if (worker < 0 || worker >= layout.workers()) {
      throw new BadInput(
          "worker: "
              + worker
              + " (expected: 0.."
              + (layout.workers() - 1)
              + ", the layout is "
              + Arguments.nameOf(layout)
              + ")");
    }
    WorkerEntry entry =
        namespace.workers().stream()
            .filter(each -> each.worker() == worker)
            .findFirst()
            .orElseThrow(() -> notReserved("is free", address));
    WorkerEntry.State state = entry.state(shell.now());
    if (state != WorkerEntry.State.RESERVED) {
      throw notReserved("is " + state.label() + ", last of " + entry.holder(), address);
    }
    if (!entry.holder().equals(BY)) {
      throw notReserved("is reserved for " + entry.holder(), address);
    }
    if (!entry.fence().equals(WorkerEntry.NEVER)) {
      throw notReserved("is reserved until " + entry.fence(), address);
    }
    return entry;
  }

  private BadInput notReserved(String found, String address) {
    return new BadInput(
        "worker: "
            + worker
            + " of "
            + at.namespace
            + " "
            + found
            + " (expected: reserved for sql without an end. A free one: "
            + reserve(address)
            + ")");
  }

  /** Returns the command that reserves the worker ID; without the address if that is null. */
  private String reserve(@Nullable String address) {
    return "firn workers reserve "
        + worker
        + " --namespace "
        + at.namespace
        + " --for "
        + BY
        + (address == null
            ? ""
            : " --store " + ShellWord.quoted(StoreUri.parse(address).toString()));
  }
}
