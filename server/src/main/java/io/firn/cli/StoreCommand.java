package io.firn.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The operations that are done to a whole store. */
@Command(
    name = "store",
    synopsisSubcommandLabel = "COMMAND",
    description = "Record in the namespaces of a store what happened to it.")
final class StoreCommand implements Callable<Integer> {

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  StoreCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Objects.requireNonNull(spec).commandLine().usage(shell.err());
    return ExitCode.USAGE;
  }
}
