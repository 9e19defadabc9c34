package io.firn.cli;

import io.firn.json.IsoTime;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a new mark in the namespaces of a store. */
@Command(
    name = "restored",
    description = {
      "Write a new mark in every namespace, after an older state of the store was restored:",
      "until its settling time is over, newcomers lead or wait. Run it before access is opened."
    })
final class RestoredCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(paramLabel = "ADDRESS", description = "The address of the store.")
  @Nullable String address;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "Only this namespace; all of the store unless given.")
  @Nullable String namespace;

  RestoredCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions options = new StoreOptions();
    options.store = Objects.requireNonNull(address);
    try (RegisterStore store = options.open(shell)) {
      if (store.snapshot(List.of()).isEmpty()) {
        throw new BadInput(
            "store: "
                + store
                + " (expected: one with an identity; here stop the processes, restore, wait for a"
                + " window, start them)");
      }
      for (String name : namespaces(store)) {
        shell.print(name + ": " + renewed(Namespace.of(store, name)) + "\n");
      }
    }
    shell.out().flush();
    return 0;
  }

  private List<String> namespaces(RegisterStore store) {
    List<String> names = Namespace.names(store);
    if (namespace != null && !names.contains(namespace)) {
      throw new BadInput(
          "namespace: " + namespace + " (expected: one of the store: " + names + ")");
    }
    if (names.isEmpty()) {
      shell.err().println("No worker ID was leased yet in " + store + ".");
    }
    return namespace == null ? names : List.of(namespace);
  }

  private static String renewed(Namespace restored) {
    return restored
        .renewMark()
        .map(
            mark ->
                "new mark since "
                    + IsoTime.utc(mark.since())
                    + "; "
                    + WorkerTable.newcomers(mark, mark.since()))
        .orElse("no mark; its next process writes one");
  }
}
