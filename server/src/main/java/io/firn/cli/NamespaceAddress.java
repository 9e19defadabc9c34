package io.firn.cli;

import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One namespace in the store at an address. */
final class NamespaceAddress {

  @Parameters(index = "0", paramLabel = "ADDRESS", description = "The address of the store.")
  @Nullable String address;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      required = true,
      description = "The namespace.")
  String namespace = "";

  RegisterStore open(Shell shell) {
    return StoreOptions.open(shell, Objects.requireNonNull(address));
  }

  /** Prints the result of an action, and closes the store. */
  void print(Shell shell, RegisterStore opened, Action action) throws IOException {
    StoreOptions.run(
        shell,
        opened,
        store -> {
          String result = action.run(Namespace.of(store, namespace), store);
          shell.print(namespace + ": " + result + "\n");
        });
  }

  /** An action of a command on its namespace, which prints the result. */
  @FunctionalInterface
  interface Action {
    String run(Namespace namespace, RegisterStore store);
  }
}
