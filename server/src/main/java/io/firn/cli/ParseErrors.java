package io.firn.cli;

import io.firn.server.config.Words;
import io.firn.store.StoreUri;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports what is wrong with a command line, in the form of all other errors. */
final class ParseErrors implements IParameterExceptionHandler {

  /** The description that picocli's own command help has of a command. */
  private static final Pattern UNKNOWN_COMMAND = Pattern.compile("Unknown subcommand '(.*)'\\.");

  /** The descriptions that picocli's own converters have of a value; one ends with it. */
  private static final Pattern INVALID_VALUE =
      Pattern.compile("(?s)Invalid value for .*|Value for .* in KEY=VALUE format but was (.*)");

  /** The name in front of a refusal. */
  private static final Pattern SUBJECT = Pattern.compile("^[a-z-]+(?=: )");

  /** The end of picocli's words for an argument that is given too few times. */
  private static final Pattern TOO_FEW = Pattern.compile("but only (\\d+) were specified");

  private final Shell shell;

  ParseErrors(Shell shell) {
    this.shell = shell;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) throws IOException {
    return refuse(shell, e.getCommandLine(), message(e));
  }

  static int refuse(Shell shell, CommandLine command, String message) throws IOException {
    shell.refuse(message);
    return pointToHelp(shell, command.getCommandSpec());
  }

  /** Prints where the help of a command is, and returns the exit code of bad input. */
  static int pointToHelp(Shell shell, CommandSpec command) {
    shell.err().println("Try: " + help(command));
    return CommandLine.ExitCode.USAGE;
  }

  private static String help(CommandSpec command) {
    return command.qualifiedName() + " --help";
  }

  /** Refuses options and arguments of a group, except those that all commands have. */
  static void refuseBeforeCommand(ParseResult group) {
    CommandLine command = group.subcommand().commandSpec().commandLine();
    String before = " before " + command.getCommandName();
    group.matchedArgs().stream()
        .filter(each -> !(each instanceof OptionSpec o && o.scopeType() == ScopeType.INHERIT))
        .findFirst()
        .ifPresent(
            each -> {
              throw new ParameterException(
                  command,
                  each instanceof OptionSpec option
                      ? "option: " + option.longestName() + before + " (expected: options after it)"
                      : "argument: "
                          + each.originalStringValues().get(0)
                          + before
                          + " (expected: arguments after it)");
            });
  }

  private static String message(ParameterException e) {
    if (e.getCause() instanceof NumberFormatException) {
      return name(e.getArgSpec()) + ": " + e.getValue() + " (expected: a whole number)";
    }
    if (e.getCause() instanceof IllegalArgumentException refusal) {
      return named(e.getArgSpec(), BadInput.text(refusal));
    }
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched);
    }
    if (e instanceof MissingParameterException missing) {
      return misspelled(missing).orElseGet(() -> missing(missing));
    }
    if (e instanceof OverwrittenOptionException twice) {
      return name(twice.getOverwritten()) + ": given twice (expected: once)";
    }
    Matcher invalid = INVALID_VALUE.matcher(String.valueOf(e.getMessage()));
    if (e.getArgSpec() != null && invalid.matches()) {
      String value = String.valueOf(invalid.group(1) != null ? invalid.group(1) : e.getValue());
      return name(e.getArgSpec())
          + ": "
          + value
          + " (expected: "
          + (e.getArgSpec().type().equals(int.class)
              ? "a whole number up to " + Integer.MAX_VALUE
              : e.getArgSpec().paramLabel())
          + ")";
    }
    Matcher helped = UNKNOWN_COMMAND.matcher(String.valueOf(e.getMessage()));
    return helped.matches()
        ? "command: " + helped.group(1) + " (expected: " + nearest(helped.group(1), root(e)) + ")"
        : String.valueOf(e.getMessage());
  }

  /**
   * Returns the refusal of a value with the name that its user wrote: {@code workers} may be {@code
   * workers-a}.
   */
  private static String named(@Nullable ArgSpec argument, String refusal) {
    Matcher subject = SUBJECT.matcher(refusal);
    return argument != null && subject.find() && name(argument).contains(subject.group())
        ? name(argument) + refusal.substring(subject.end())
        : refusal;
  }

  private static CommandLine root(ParameterException e) {
    return e.getCommandLine().getCommandSpec().root().commandLine();
  }

  private static String unmatched(UnmatchedArgumentException e) {
    CommandLine command = e.getCommandLine();
    if (e.isUnknownOption()) {
      return unknownOption(e.getUnmatched().get(0), command);
    }
    String first = StoreUri.hide(e.getUnmatched().get(0));
    boolean isAddress = first.indexOf(':') > 0 && options(command).contains("--store");
    return command.getSubcommands().isEmpty() || isAddress
        ? "argument: "
            + first
            + " (expected: "
            + (isAddress ? "--store=" + first : "none further")
            + ")"
        : "command: " + first + " (expected: " + nearest(first, command) + ")";
  }

  /** Without the option that is misspelled here, another one often seems to be missing. */
  private static Optional<String> misspelled(MissingParameterException e) {
    CommandLine command = e.getCommandLine();
    return command.getUnmatchedArguments().stream()
        .filter(argument -> argument.startsWith("-"))
        .findFirst()
        .map(argument -> unknownOption(argument, command));
  }

  private static String unknownOption(String argument, CommandLine command) {
    String name = argument.replaceFirst("=.*", "");
    List<String> options = options(command);
    String ofAll = name.replaceFirst("^--", "--defaults-"); // of a setting of one namespace
    String expected =
        options.contains(ofAll)
            ? ofAll
            : Words.nearest(name, options).orElse("one of " + help(command.getCommandSpec()));
    return "option: " + name + " (expected: " + expected + ")";
  }

  private static String missing(MissingParameterException e) {
    List<ArgSpec> missing = e.getMissing();
    Matcher tooFew = TOO_FEW.matcher(String.valueOf(e.getMessage()));
    return missing.isEmpty()
        ? "command: none (expected: " + commands(e.getCommandLine()) + ")"
        : name(missing.get(0))
            + ": "
            + (tooFew.find() && !tooFew.group(1).equals("0") ? "only " + tooFew.group(1) : "none")
            + " (expected: "
            + (missing.get(0) instanceof OptionSpec option
                ? option.longestName() + "=" + option.paramLabel()
                : arguments(e.getCommandLine()))
            + ")";
  }

  /** Returns a command with its arguments, such as {@code firn range FROM TO}. */
  private static String arguments(CommandLine command) {
    return command.getCommandSpec().positionalParameters().stream()
        .filter(argument -> !argument.hidden())
        .map(ParseErrors::repeated)
        .collect(Collectors.joining(" ", command.getCommandSpec().qualifiedName() + " ", ""));
  }

  private static String repeated(PositionalParamSpec argument) {
    int least = Math.max(1, argument.arity().min());
    return String.join(" ", Collections.nCopies(least, argument.paramLabel()))
        + (argument.arity().isVariable() ? "..." : "");
  }

  private static List<String> options(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .map(OptionSpec::longestName)
        .sorted()
        .toList();
  }

  private static String nearest(String mistaken, CommandLine command) {
    return Words.nearest(mistaken, command.getSubcommands().keySet())
        .orElseGet(() -> commands(command));
  }

  private static String commands(CommandLine command) {
    return String.join(", ", command.getSubcommands().keySet());
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? option.longestName().replaceFirst("^-+", "")
        : argument.paramLabel().toLowerCase(Locale.ROOT);
  }
}
