package io.firn.cli;

import io.firn.store.RegisterStore;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that name the worker IDs that a command changes. */
final class WorkerOptions {

  @Mixin LeaseStoreOption store = new LeaseStoreOption();

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      required = true,
      description = "The namespace of the worker IDs.")
  String namespace = "";

  RegisterStore open(Shell shell) {
    return store.open(shell);
  }

  RegisterStore openOrCreate(Shell shell) {
    return store.openOrCreate(shell);
  }
}
