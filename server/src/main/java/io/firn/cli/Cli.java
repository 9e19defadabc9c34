package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.text.IdFormat;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/** The command line: parses, runs one command, and turns every outcome into an exit code. */
final class Cli {

  private static final int MIN_HELP_WIDTH = 55;
  private static final int MAX_HELP_WIDTH = 96;

  /** In the order of the help. */
  private static final List<String> COMMANDS =
      List.of(
          "next",
          "decode",
          "range",
          "layout",
          "verify",
          "disjoint",
          "regions",
          "workers",
          "watermark",
          "adopt",
          "top",
          "segments",
          "blocks",
          "store",
          "doctor",
          "ddl",
          "sql",
          "serve",
          "simulate",
          "bench",
          "completion",
          "man",
          "help");

  /** They show all commands. */
  private static final Set<String> OF_ALL = Set.of("completion", "man", "help");

  private final Shell shell;

  Cli(Shell shell) {
    this.shell = shell;
  }

  private CommandLine command(String name) {
    return switch (name) {
      case "next" -> new CommandLine(new NextCommand(shell).withFlags());
      case "decode" -> new CommandLine(new DecodeCommand(shell));
      case "range" -> new CommandLine(new RangeCommand(shell));
      case "layout" ->
          new CommandLine(new LayoutCommand(shell))
              .addSubcommand(new LayoutShowCommand(shell))
              .addSubcommand(new LayoutChangeCommand(shell))
              .addSubcommand(new LayoutCancelCommand(shell));
      case "verify" -> new CommandLine(new VerifyCommand(shell));
      case "disjoint" -> new CommandLine(new DisjointCommand(shell));
      case "regions" -> new CommandLine(new RegionsCommand(shell));
      case "workers" ->
          new CommandLine(new WorkersCommand(shell))
              .addSubcommand(new ReserveCommand(shell))
              .addSubcommand(new ReleaseCommand(shell));
      case "watermark" -> new CommandLine(new WatermarkCommand(shell));
      case "adopt" -> new CommandLine(new AdoptCommand(shell));
      case "top" -> new CommandLine(new TopCommand(shell));
      case "segments" -> new CommandLine(new SegmentsCommand(shell));
      case "blocks" ->
          new CommandLine(new BlocksCommand(shell)).addSubcommand(new ForgetCommand(shell));
      case "store" ->
          new CommandLine(new StoreCommand(shell))
              .addSubcommand(new RestoredCommand(shell))
              .addSubcommand(new SettleTimeCommand(shell))
              .addSubcommand(new AfterLossCommand(shell))
              .addSubcommand(new HomeCommand(shell));
      case "doctor" -> new CommandLine(new DoctorCommand(shell));
      case "ddl" -> new CommandLine(new DdlCommand(shell));
      case "sql" -> new CommandLine(new SqlCommand(shell));
      case "serve" -> new CommandLine(new ServeCommand(shell).withFlags());
      case "simulate" -> new CommandLine(new CheckoutCommand.Simulate());
      case "bench" -> new CommandLine(new CheckoutCommand.Bench());
      case "completion" -> new CommandLine(new CompletionCommand(shell));
      case "man" -> new CommandLine(new ManCommand(shell));
      case "help" -> new CommandLine(new CommandLine.HelpCommand());
      default -> throw new AssertionError(name);
    };
  }

  /** Returns the root with the commands that the arguments need. */
  private CommandLine commands(String... args) {
    RootCommand root = new RootCommand(shell);
    CommandLine commands = new CommandLine(root);
    addCommands(commands, args);
    // Not in the annotation, whose texts the commands inherit: most of them run without one.
    commands.getCommandSpec().usageMessage().synopsisSubcommandLabel("COMMAND");
    return commands
        .registerConverter(IdLayout.class, Arguments::layout)
        .registerConverter(IdFormat.class, IdFormat::of)
        .registerConverter(IdType.class, IdType::of)
        .registerConverter(WorkerSet.class, WorkerSet::of)
        .registerConverter(Instant.class, Arguments::instant)
        .registerConverter(Long.class, Long::valueOf)
        .registerConverter(OldSystem.class, OldSystem::of)
        .registerConverter(SqlDatabase.class, SqlDatabase::of)
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

  /**
   * Adds the command that the arguments name, or else all, because making a command takes
   * milliseconds.
   */
  private void addCommands(CommandLine commands, String... args) {
    // No option of the root takes a value: the first word is a command.
    Optional<String> named = Arrays.stream(args).filter(arg -> !arg.startsWith("-")).findFirst();
    List<String> needed =
        named.filter(COMMANDS::contains).filter(name -> !OF_ALL.contains(name)).isPresent()
            ? List.of(named.get())
            : COMMANDS;
    needed.forEach(name -> commands.addSubcommand(name, command(name)));
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
    String[] words = helped(args);
    return commands(words).execute(words);
  }

  /**
   * Turns {@code help} into {@code --help} of the last word: Picocli's command help shows that of
   * the first word, so a group would hide the help of its commands.
   */
  private static String[] helped(String... args) {
    if (args.length < 3 || !args[0].equals("help")) {
      return args;
    }
    String[] words = Arrays.copyOfRange(args, 1, args.length + 1);
    words[args.length - 1] = "--help";
    return words;
  }
}
