package io.firn.cli;

import io.firn.store.RegisterStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the worker IDs are that a command writes. */
final class WorkerOptions {

  @Option(
      names = "--store",
      paramLabel = "URI",
      description = "Where worker IDs are leased; the user's state directory unless given.")
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
}
