package io.firn.cli;

import io.firn.IdLayout;
import io.firn.text.IdFormat;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/** The command line: parses, runs one command, and turns every outcome into an exit code. */
final class Cli {

  private final CommandLine commands;

  Cli(Shell shell) {
    RootCommand root = new RootCommand(shell);
    commands =
        new CommandLine(root)
            .addSubcommand(new CommandLine(new NextCommand(shell).withFlags()))
            .addSubcommand(new DecodeCommand(shell))
            .addSubcommand(new RangeCommand(shell))
            .addSubcommand(new LayoutCommand(shell))
            .addSubcommand(
                new CommandLine(new WorkersCommand(shell)).addSubcommand(new ReleaseCommand(shell)))
            .addSubcommand(new SegmentsCommand(shell))
            .addSubcommand(
                new CommandLine(new StoreCommand(shell))
                    .addSubcommand(new RestoredCommand(shell))
                    .addSubcommand(new SettleTimeCommand(shell)))
            .addSubcommand(new DdlCommand(shell))
            .addSubcommand(new CommandLine(new ServeCommand(shell).withFlags()))
            .addSubcommand(new CompletionCommand(shell))
            .addSubcommand(new CommandLine.HelpCommand())
            .registerConverter(IdLayout.class, Arguments::layout)
            .registerConverter(IdFormat.class, IdFormat::of)
            .registerConverter(IdType.class, IdType::of)
            .registerConverter(Instant.class, Arguments::instant)
            .registerConverter(Long.class, Long::valueOf)
            .setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8))
            .setErr(shell.err())
            .setColorScheme(Help.defaultColorScheme(shell.ansi()))
            .setParameterExceptionHandler(new ParseErrors(shell))
            .setExecutionExceptionHandler(new Failures(shell, root));
  }

  /**
   * Runs one command line.
   *
   * @return 0 for success, 1 for a failure, 2 for bad input
   */
  int run(String... args) {
    return commands.execute(args);
  }
}
