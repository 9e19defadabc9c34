package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.WholeNumber;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.IHelpFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command line: parses, runs one command, and turns every outcome into an exit code.
 *
 * <p>No lambda here is of a type of Picocli's, which are of an old version of class files: archives
 * of class data have none of them, and JDK 17 crashes when it makes an archive at the end of a run.
 */
final class Cli implements IHelpFactory, IExecutionStrategy {

  private static final int MIN_HELP_WIDTH = 55;
  private static final int MAX_HELP_WIDTH = 96;

  /** They show all commands. */
  private static final Set<String> OF_ALL = Set.of("completion", "man", "help");

  private final Shell shell;

  Cli(Shell shell) {
    this.shell = shell;
  }

  /** Returns what makes each command, in the order of the help. */
  private Map<String, Supplier<Object>> everyCommand() {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("next", () -> new NextCommand(shell).withFlags());
    commands.put("decode", () -> new DecodeCommand(shell));
    commands.put("range", () -> new RangeCommand(shell));
    commands.put(
        "layout",
        () ->
            new CommandLine(new LayoutCommand(shell))
                .addSubcommand(new LayoutShowCommand(shell))
                .addSubcommand(new LayoutChangeCommand(shell))
                .addSubcommand(new LayoutCancelCommand(shell)));
    commands.put("verify", () -> new VerifyCommand(shell));
    commands.put("disjoint", () -> new DisjointCommand(shell));
    commands.put("regions", () -> new RegionsCommand(shell));
    commands.put(
        "workers",
        () ->
            new CommandLine(new WorkersCommand(shell))
                .addSubcommand(new ReserveCommand(shell))
                .addSubcommand(new ReleaseCommand(shell)));
    commands.put("watermark", () -> new WatermarkCommand(shell));
    commands.put("adopt", () -> new AdoptCommand(shell));
    commands.put("top", () -> new TopCommand(shell));
    commands.put("segments", () -> new SegmentsCommand(shell));
    commands.put(
        "blocks",
        () -> new CommandLine(new BlocksCommand(shell)).addSubcommand(new ForgetCommand(shell)));
    commands.put(
        "store",
        () ->
            new CommandLine(new StoreCommand(shell))
                .addSubcommand(new RestoredCommand(shell))
                .addSubcommand(new SettleTimeCommand(shell))
                .addSubcommand(new AfterLossCommand(shell))
                .addSubcommand(new HomeCommand(shell)));
    commands.put("doctor", () -> new DoctorCommand(shell));
    commands.put("ddl", () -> new DdlCommand(shell));
    commands.put("sql", () -> new SqlCommand(shell));
    commands.put("serve", () -> new ServeCommand(shell).withFlags());
    commands.put("simulate", () -> new CheckoutCommand.Simulate());
    commands.put("bench", () -> new CheckoutCommand.Bench());
    commands.put("completion", () -> new CompletionCommand(shell));
    commands.put("man", () -> new ManCommand(shell));
    commands.put("help", () -> new CommandLine.HelpCommand());
    return commands;
  }

  /** Returns the root with the commands that the arguments need. */
  private CommandLine commands(String... args) {
    RootCommand root = new RootCommand(shell);
    CommandLine commands = new CommandLine(root);
    addCommands(commands, args);
    // Not in the annotation, whose texts the commands inherit: most of them run without one.
    commands.getCommandSpec().usageMessage().synopsisSubcommandLabel("COMMAND");
    return commands
        .registerConverter(IdLayout.class, new Converter<>(Arguments::layout))
        .registerConverter(IdFormat.class, new Converter<>(IdFormat::of))
        .registerConverter(IdType.class, new Converter<>(IdType::of))
        .registerConverter(WorkerSet.class, new Converter<>(Arguments::workers))
        .registerConverter(Instant.class, new Converter<>(Arguments::instant))
        .registerConverter(Long.class, new Converter<>(WholeNumber::parse))
        .registerConverter(long.class, new Converter<>(WholeNumber::parse))
        .registerConverter(int.class, new Converter<>(Arguments::smallNumber))
        .registerConverter(OldSystem.class, new Converter<>(OldSystem::of))
        .registerConverter(SqlDatabase.class, new Converter<>(SqlDatabase::of))
        .registerConverter(Character.class, new Converter<>(Arguments::character))
        .setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8))
        .setErr(shell.err())
        .setHelpFactory(this)
        .setColorScheme(Help.defaultColorScheme(shell.ansi()))
        .setExecutionStrategy(this)
        .setParameterExceptionHandler(new ParseErrors(shell))
        .setExecutionExceptionHandler(new Failures(shell, root));
  }

  @Override
  public Help create(CommandSpec command, ColorScheme colors) {
    command.usageMessage().width(helpWidth(shell));
    return new Help(command, colors);
  }

  /**
   * Adds the command that the arguments name, or else all, because making a command takes
   * milliseconds.
   */
  private void addCommands(CommandLine commands, String... args) {
    // No option of the root takes a value: the first word is a command.
    Optional<String> named = Arrays.stream(args).filter(arg -> !arg.startsWith("-")).findFirst();
    Map<String, Supplier<Object>> needed = everyCommand();
    named
        .filter(needed::containsKey)
        .filter(name -> !OF_ALL.contains(name))
        .ifPresent(name -> needed.keySet().retainAll(Set.of(name)));
    needed.forEach((name, command) -> commands.addSubcommand(name, command.get()));
  }

  /** Runs the last command, and refuses what was given to a command before it, which ignores it. */
  @Override
  public int execute(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return flushed(parsed, helped);
    }
    for (ParseResult group = parsed; group.hasSubcommand(); group = group.subcommand()) {
      ParseErrors.refuseBeforeCommand(group);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** Returns the exit code of a help. The parser ignores what cannot be written. */
  private int flushed(ParseResult parsed, int code) {
    try {
      shell.out().flush();
      return code;
    } catch (IOException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.getMessage(), e);
    }
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
