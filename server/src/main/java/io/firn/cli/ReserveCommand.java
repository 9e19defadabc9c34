package io.firn.cli;

import io.firn.WorkerSet;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Keeps worker IDs out of leases. */
@Command(
    name = "reserve",
    description = {
      "Reserve worker IDs that another system uses: no lease takes them, pinned or not.",
      "Only free ones can be reserved. To end it: firn workers release WORKERS --newest-id ID"
    })
final class ReserveCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin ReservationOptions options = new ReservationOptions();

  @Option(
      names = "--for",
      paramLabel = "SYSTEM",
      required = true,
      description = "The system that uses them, shown to operators.")
  String by = "";

  @Parameters(
      paramLabel = "WORKERS",
      description = "Worker IDs (7 or 0-31,40); datacenter and worker as one number.")
  @Nullable WorkerSet workers;

  ReserveCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    WorkerSet set = Objects.requireNonNull(workers);
    StoreOptions.requireLasting(shell, options.at.store.given);
    options.run(
        shell,
        () -> options.layout == null ? options.at.open(shell) : options.at.openOrCreate(shell),
        set,
        by,
        namespace -> shell.print(options.reserve(namespace, set, by)));
    return 0;
  }
}
