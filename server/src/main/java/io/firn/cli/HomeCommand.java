package io.firn.cli;

import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Records the home datacenters of a namespace in a store. */
@Command(
    name = "home",
    description = {
      "Record the home datacenters of a namespace in this store.",
      "Afterwards only their workers are leased here. If none were recorded before, no process may",
      "hold a worker ID; a datacenter that is removed must be idle. Then run firn regions."
    })
final class HomeCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(paramLabel = "ADDRESS", description = "The address of the store.")
  @Nullable String address;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      required = true,
      description = "The namespace.")
  @Nullable String namespace;

  @Option(
      names = "--datacenters",
      paramLabel = "SET",
      required = true,
      description = "All its datacenters in this store, such as 3 or 0-2,4.")
  @Nullable String datacenters;

  HomeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    String name = Objects.requireNonNull(namespace);
    WorkerSet wanted = datacenters(Objects.requireNonNull(datacenters));
    try (RegisterStore store = StoreOptions.open(shell, Objects.requireNonNull(address))) {
      record(Namespace.of(store, name), wanted);
      shell.print(name + ": home datacenters " + wanted + " in " + store + "\n");
    }
    shell.out().flush();
    return 0;
  }

  private static WorkerSet datacenters(String text) {
    try {
      return WorkerSet.of(text);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          "datacenters: " + text + " (expected: numbers and ranges, such as 3 or 0-2,4)");
    }
  }

  private static void record(Namespace namespace, WorkerSet wanted) {
    try {
      namespace.recordHomes(wanted);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    } catch (IllegalStateException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
  }
}
