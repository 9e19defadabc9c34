package io.firn.cli;

import io.firn.store.RegisterStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the store of the registers that a command looks at or changes. */
final class LeaseStoreOption {

  @Option(
      names = "--store",
      paramLabel = "URI",
      description = "The store; by default FIRN_STORE, or the state directory.")
  @Nullable String given;

  /** Returns the address that is given; null for the user's state directory. */
  @Nullable String address(Shell shell) {
    return StoreOptions.address(shell, given);
  }

  RegisterStore open(Shell shell) {
    return StoreOptions.open(shell, given);
  }

  RegisterStore openOrCreate(Shell shell) {
    return StoreOptions.openOrCreate(shell, given);
  }
}
