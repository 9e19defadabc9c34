package io.firn.cli;

import io.firn.store.RegisterStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name the worker IDs that a command changes. */
final class WorkerOptions {

  @Option(
      names = "--store",
      paramLabel = "URI",
      description = "The store of the leases; the user's state directory by default.")
  @Nullable String store;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      required = true,
      description = "The namespace of the worker IDs.")
  String namespace = "";

  RegisterStore open(Shell shell) {
    return StoreOptions.open(shell, store);
  }

  RegisterStore openOrCreate(Shell shell) {
    return StoreOptions.openOrCreate(shell, store);
  }
}
