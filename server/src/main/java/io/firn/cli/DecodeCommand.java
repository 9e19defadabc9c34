package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes IDs apart. */
@Command(
    name = "decode",
    description = "Explain IDs: when and where each was made.",
    footer = {
      "",
      "Without --layout, decode shows the named layouts that an ID may have, most plausible first.",
      "A bad ID is named on stderr, the others are decoded, and the exit code is 2."
    })
final class DecodeCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "In decimal, or in hexadecimal after 0x; read from stdin if none is given.")
  List<String> ids = List.of();

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = LayoutArgument.class,
      description = "The layout of the IDs.")
  @Nullable IdLayout layout;

  @Option(
      names = "--json",
      description =
          "Write one object a line; without --layout it has the most plausible layout and names the"
              + " others as \"also\".")
  boolean json;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      completionCandidates = FormatArgument.class,
      description = "How the IDs are written: ${COMPLETION-CANDIDATES}.")
  @Nullable IdFormat format;

  DecodeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    boolean allGood = ids.isEmpty() ? decodeInput() : decodeAll(ids);
    shell.out().flush();
    return allGood ? ExitCode.OK : ExitCode.USAGE;
  }

  private boolean decodeAll(List<String> texts) throws IOException {
    boolean allGood = true;
    for (String text : texts) {
      allGood &= decode(text);
    }
    return allGood;
  }

  private boolean decodeInput() throws IOException {
    boolean allGood = true;
    Scanner words = new Scanner(shell.in(), StandardCharsets.UTF_8);
    while (words.hasNext()) {
      allGood &= decode(words.next());
      if (shell.in().available() == 0) {
        shell.out().flush();
      }
    }
    if (words.ioException() != null) {
      throw words.ioException();
    }
    return allGood;
  }

  private boolean decode(String text) throws IOException {
    try {
      shell.print(explain(new IdText(format).read(text)));
      return true;
    } catch (IllegalArgumentException e) {
      shell.complain(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private String explain(long id) {
    return layout == null ? guess(id) : explain(layout, layout.parse(id));
  }

  private String explain(IdLayout layout, IdParts parts) {
    return json ? Json.of(layout, parts) : new DecodeReport(shell, shell.now()).of(layout, parts);
  }

  private String guess(long id) {
    List<FamilyGuess> guesses = new FamilyRanking(shell.now()).of(id);
    if (guesses.isEmpty()) {
      throw new IllegalArgumentException(
          "id: "
              + Long.toUnsignedString(id)
              + " (expected: a time between the epoch and next week in some named layout, or a"
              + " --layout)");
    }
    return json ? jsonOf(guesses) : new DecodeReport(shell, shell.now()).of(guesses);
  }

  private static String jsonOf(List<FamilyGuess> guesses) {
    FamilyGuess best = guesses.get(0);
    return Json.of(
        best.layout(), best.parts(), guesses.stream().skip(1).map(FamilyGuess::name).toList());
  }
}
