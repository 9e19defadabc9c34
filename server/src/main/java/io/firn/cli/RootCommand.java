package io.firn.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The options that are allowed before a command and after it. */
@Command(
    name = "firn",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = "64-bit, time-ordered unique IDs: issues them and explains them.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:failure", "2:bad input"})
final class RootCommand implements Callable<Integer> {

  private final Shell shell;

  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Show the stack of an unexpected failure, as FIRN_TRACE=1 does.")
  boolean trace;

  @Spec @Nullable CommandSpec spec;

  RootCommand(Shell shell) {
    this.shell = shell;
  }

  /** Shows the commands, because none was given. */
  @Override
  public Integer call() {
    Objects.requireNonNull(spec).commandLine().usage(shell.err());
    return ExitCode.USAGE;
  }
}
