package io.firn.cli;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Spec;

/** Prints the manual page, generated from the help texts. */
@Command(
    name = "man",
    description = {
      "Print the manual page of all commands.",
      "To read it: firn man | man -l -",
      "To install it: firn man > …/share/man/man1/firn.1"
    })
final class ManCommand implements Callable<Integer> {

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  ManCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    CommandSpec root = Objects.requireNonNull(spec).root();
    StringBuilder page = new StringBuilder();
    page.append(".TH FIRN 1 \"\" \"firn\" \"Firn\"\n.SH NAME\nfirn \\- ")
        .append(escaped(String.join(" ", root.usageMessage().description())))
        .append("\n.SH SYNOPSIS\n.B firn\n.I COMMAND\n[\\fIoption\\fR ...]\n.SH COMMANDS\n");
    commands(root, page);
    page.append(".SH EXIT STATUS\n");
    root.usageMessage().exitCodeList().forEach((code, meaning) -> item(page, code, meaning));
    shell.print(page.toString());
    shell.out().flush();
    return 0;
  }

  private static void commands(CommandSpec parent, StringBuilder page) {
    for (Map.Entry<String, CommandLine> each : parent.subcommands().entrySet()) {
      CommandSpec command = each.getValue().getCommandSpec();
      page.append(".SS \"").append(escaped(command.qualifiedName())).append("\"\n");
      for (String line : command.usageMessage().description()) {
        page.append(escaped(line)).append("\n");
      }
      for (PositionalParamSpec parameter : command.positionalParameters()) {
        item(page, parameter.paramLabel(), text(List.of(parameter.description())));
      }
      for (OptionSpec option : command.options()) {
        if (!option.hidden() && !option.inherited() && !isStandard(option)) {
          String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
          item(
              page, String.join(", ", option.names()) + label, text(List.of(option.description())));
        }
      }
      for (String line : command.usageMessage().footer()) {
        page.append(line.isEmpty() ? ".PP" : escaped(line)).append("\n");
      }
      commands(command, page);
    }
  }

  private static boolean isStandard(OptionSpec option) {
    return option.usageHelp() || option.versionHelp() || option.longestName().equals("--trace");
  }

  private static String text(List<String> lines) {
    return lines.stream().collect(Collectors.joining(" "));
  }

  private static void item(StringBuilder page, String term, String text) {
    page.append(".TP\n.B ").append(escaped(term)).append("\n").append(escaped(text)).append("\n");
  }

  /** Returns a line from which no macro and no escape is read. */
  private static String escaped(String text) {
    String plain =
        text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq").replace("…", "...");
    boolean request = plain.startsWith(".") || plain.startsWith("'");
    return (request ? "\\&" : "")
        + String.format(Locale.ROOT, "%s", plain.isEmpty() ? "\\&" : plain);
  }
}
