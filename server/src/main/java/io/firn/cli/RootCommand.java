package io.firn.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** What stands on the command line before a command, or after any. */
@Command(
    name = "firn",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpWidth = 96,
    description = "64-bit, time-ordered unique IDs: issues them and explains them.")
final class RootCommand {

  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Show the stack of an unexpected failure, as FIRN_TRACE=1 does.")
  boolean trace;
}
