package io.firn.cli;

import io.firn.store.RegisterStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the store of the leases that a command looks at or changes. */
final class LeaseStoreOption {

  @Option(
      names = "--store",
      paramLabel = "URI",
      description = "The store of the leases; the user's state directory by default.")
  @Nullable String address;

  RegisterStore open(Shell shell) {
    return StoreOptions.open(shell, address);
  }

  RegisterStore openOrCreate(Shell shell) {
    return StoreOptions.openOrCreate(shell, address);
  }
}
