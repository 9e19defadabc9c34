package io.firn.cli;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the script that completes commands, options, layouts and formats. */
@Command(
    name = "completion",
    description = {
      "Print a completion script for bash and zsh.",
      "To use it: source <(firn completion)"
    })
final class CompletionCommand implements Callable<Integer> {

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  CompletionCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    CommandSpec root = Objects.requireNonNull(spec).root();
    shell.print(AutoComplete.bash(root.name(), root.commandLine()));
    shell.out().flush();
    return 0;
  }
}
