package io.firn.cli;

import io.firn.WorkerSet;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records the home datacenters of a namespace in a store. */
@Command(
    name = "home",
    description = {
      "Record the home datacenters of a namespace in this store.",
      "Afterwards only their workers are leased here. If none were recorded before, no process may"
          + " hold a worker ID; a datacenter that is removed must be idle. Then run firn regions."
    })
final class HomeCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin NamespaceAddress place = new NamespaceAddress();

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
    WorkerSet wanted = datacenters(Objects.requireNonNull(datacenters));
    place.print(
        shell,
        place.open(shell),
        (namespace, store) -> {
          namespace.recordHomes(wanted);
          return "home datacenters " + wanted + " in " + store;
        });
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
}
