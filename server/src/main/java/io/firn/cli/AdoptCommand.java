package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reserves the worker numbers that another system has given out. */
@Command(
    name = "adopt",
    description = {
      "Read the worker numbers that another system uses, and reserve them.",
      "Shows what it would reserve; --apply reserves it. It is safe to repeat."
    },
    footer = {
      "",
      "leaf           zookeeper://HOST:PORT, with --group LEAF.NAME",
      "twitter        0-1: datacenters, all 32 workers of each",
      "cosid          jdbc:DATABASE://HOST/NAME, redis://HOST or",
      "               zookeeper://HOST, with --group NAMESPACE",
      "uid-generator  jdbc:DATABASE://HOST/NAME",
      "list           0-31,40"
    })
final class AdoptCommand implements Callable<Integer> {

  private static final int MAX_SPARE = 100_000;

  private final Shell shell;

  @Parameters(
      index = "0",
      paramLabel = "SYSTEM",
      description = "leaf, twitter, cosid, uid-generator or list.")
  @Nullable OldSystem system;

  @Parameters(
      index = "1",
      paramLabel = "SOURCE",
      description = "The store of the other system," + " see below.")
  String source = "";

  @Option(names = "--group", paramLabel = "NAME", description = "CosId's namespace, or leaf.name.")
  @Nullable String group;

  @Option(
      names = "--spare",
      paramLabel = "N",
      description = "Also reserve the next N numbers, for new processes of the other system.")
  int spare;

  @Option(
      names = "--for",
      paramLabel = "SYSTEM",
      description = "The system shown to operators; the name of SYSTEM by default.")
  @Nullable String by;

  @Option(names = "--apply", description = "Write the reservation; without it nothing is written.")
  boolean apply;

  @Mixin ReservationOptions options = new ReservationOptions();

  AdoptCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    OldSystem old = Objects.requireNonNull(system);
    if (spare < 0 || spare > MAX_SPARE) {
      throw new BadInput("spare: " + spare + " (expected: 0.." + MAX_SPARE + ")");
    }
    StoreOptions.requireLasting(shell, options.at.store.given);
    WorkerSet found = found(old);
    String user = by == null ? old.title() : by;
    boolean mayBeNew = options.layout != null || old.layout().isPresent();
    String address = options.at.store.given;
    Optional<StoreOptions.Missing> missing =
        mayBeNew ? StoreOptions.missing(shell, address) : Optional.empty();
    if (missing.isPresent() && options.layout == null) {
      options.layout = old.layout().orElse(null); // the namespace is new
    }
    options.run(
        shell,
        () -> open(address, mayBeNew, missing.isPresent()),
        found,
        user,
        namespace -> adopt(old, found, user, namespace, missing));
    return 0;
  }

  private WorkerSet found(OldSystem old) {
    WorkerSet found = old.workers(source, group);
    if (found.size() == 0) {
      throw new BadInput(
          "source: "
              + StoreUri.hide(source)
              + " has no worker numbers (expected: the numbers of "
              + old.title()
              + ")");
    }
    return found;
  }

  private RegisterStore open(@Nullable String address, boolean mayBeNew, boolean isMissing) {
    if (apply && mayBeNew) {
      return StoreOptions.openOrCreate(shell, address);
    }
    return isMissing ? StoreOptions.empty(shell, address) : StoreOptions.open(shell, address);
  }

  private void adopt(
      OldSystem old,
      WorkerSet found,
      String user,
      Namespace namespace,
      Optional<StoreOptions.Missing> missing)
      throws IOException {
    if (options.layout == null && namespace.layout().isEmpty()) {
      options.layout = old.layout().orElse(null);
    }
    IdLayout layout = options.layoutOf(namespace);
    shell.print(found(old, found, layout));
    WorkerSet all = withSpare(found, layout);
    if (all.size() < found.size() + spare) {
      shell.print(
          "spare: "
              + (all.size() - found.size())
              + ", more the layout does not have above these\n");
    }
    if (apply) {
      shell.print(options.reserve(namespace, all, user));
      return;
    }
    options.check(namespace, all, user);
    shell.print("would reserve in " + namespace.name() + ": " + all + "\n");
    if (missing.isPresent()) {
      shell.print(creation(missing.get()));
    }
    shell.print(
        "nothing was written; --apply "
            + StoreOptions.unwritable(shell, options.at.store.given)
                .map(
                    there ->
                        "needs the right to write to "
                            + there
                            + ", which this process does not have")
                .orElse("writes it")
            + "\n");
  }

  /** Describes how what is missing of the store comes to be. */
  private String creation(StoreOptions.Missing missing) {
    String would = "would create the " + missing.description() + ", which is not there";
    if (!missing.isTable()) {
      return would + "\n";
    }
    boolean creates = StoreOptions.flag(shell, options.at.store.given, "ddl", true);
    return (creates
            ? would + "; firn ddl prints its statement."
            : "the "
                + missing.description()
                + " is not there; with ddl=false, create it with the statement of firn ddl before"
                + " --apply.")
        + " If the table was dropped, restore it instead\n";
  }

  private String found(OldSystem old, WorkerSet found, IdLayout layout) {
    return "found "
        + found.size()
        + (found.size() == 1 ? " worker number of " : " worker numbers of ")
        + old.title()
        + ": "
        + found
        + "; layout "
        + Arguments.nameOf(layout)
        + "\n";
  }

  private WorkerSet withSpare(WorkerSet found, IdLayout layout) {
    if (spare == 0) {
      return found;
    }
    long last = found.ranges().get(found.ranges().size() - 1).last();
    long end = Math.max(last, Math.min(last + spare, layout.workers() - 1));
    List<WorkerSet.Range> ranges = new ArrayList<>(found.ranges());
    if (end > last) {
      ranges.add(new WorkerSet.Range(last + 1, end));
    }
    return WorkerSet.of(ranges);
  }
}
