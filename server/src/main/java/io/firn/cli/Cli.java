package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.text.IdFormat;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/** The command line: parses, runs one command, and turns every outcome into an exit code. */
final class Cli {

  private static final int MIN_HELP_WIDTH = 55;
  private static final int MAX_HELP_WIDTH = 96;

  private final CommandLine commands;

  Cli(Shell shell) {
    RootCommand root = new RootCommand(shell);
    commands =
        new CommandLine(root)
            .addSubcommand(new CommandLine(new NextCommand(shell).withFlags()))
            .addSubcommand(new DecodeCommand(shell))
            .addSubcommand(new RangeCommand(shell))
            .addSubcommand(new LayoutCommand(shell))
            .addSubcommand(new VerifyCommand(shell))
            .addSubcommand(new DisjointCommand(shell))
            .addSubcommand(new RegionsCommand(shell))
            .addSubcommand(
                new CommandLine(new WorkersCommand(shell))
                    .addSubcommand(new ReserveCommand(shell))
                    .addSubcommand(new ReleaseCommand(shell)))
            .addSubcommand(new WatermarkCommand(shell))
            .addSubcommand(new AdoptCommand(shell))
            .addSubcommand(new TopCommand(shell))
            .addSubcommand(new SegmentsCommand(shell))
            .addSubcommand(
                new CommandLine(new BlocksCommand(shell)).addSubcommand(new ForgetCommand(shell)))
            .addSubcommand(
                new CommandLine(new StoreCommand(shell))
                    .addSubcommand(new RestoredCommand(shell))
                    .addSubcommand(new SettleTimeCommand(shell))
                    .addSubcommand(new HomeCommand(shell)))
            .addSubcommand(new DoctorCommand(shell))
            .addSubcommand(new DdlCommand(shell))
            .addSubcommand(new CommandLine(new ServeCommand(shell).withFlags()))
            .addSubcommand(new CheckoutCommand.Simulate())
            .addSubcommand(new CheckoutCommand.Bench())
            .addSubcommand(new CompletionCommand(shell))
            .addSubcommand(new ManCommand(shell))
            .addSubcommand(new CommandLine.HelpCommand())
            .registerConverter(IdLayout.class, Arguments::layout)
            .registerConverter(IdFormat.class, IdFormat::of)
            .registerConverter(IdType.class, IdType::of)
            .registerConverter(WorkerSet.class, WorkerSet::of)
            .registerConverter(Instant.class, Arguments::instant)
            .registerConverter(Long.class, Long::valueOf)
            .registerConverter(OldSystem.class, OldSystem::of)
            .registerConverter(Character.class, Arguments::character)
            .setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8))
            .setErr(shell.err())
            .setHelpFactory(
                (command, colors) -> {
                  command.usageMessage().width(helpWidth(shell));
                  return new Help(command, colors);
                })
            .setColorScheme(Help.defaultColorScheme(shell.ansi()))
            .setParameterExceptionHandler(new ParseErrors(shell))
            .setExecutionExceptionHandler(new Failures(shell, root));
  }

  /** Returns the width of the terminal, within what is read easily. */
  private static int helpWidth(Shell shell) {
    return Math.max(MIN_HELP_WIDTH, Math.min(MAX_HELP_WIDTH, shell.columns()));
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
