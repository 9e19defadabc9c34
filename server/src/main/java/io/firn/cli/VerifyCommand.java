package io.firn.cli;

import io.firn.IdLayout;
import io.firn.text.IdFormat;
import io.firn.verify.BadLineException;
import io.firn.verify.LineFormat;
import io.firn.verify.Verification;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Searches files of IDs for duplicates. */
@Command(
    name = "verify",
    description = "Search any number of IDs for duplicates and disorder, and identify them.",
    exitCodeList = {
      "0:no duplicates",
      "1:duplicates; the first are listed",
      "2:bad input",
      "3:a failure, such as no space for the temporary file: no answer"
    },
    exitCodeOnExecutionException = VerifyCommand.NO_ANSWER,
    footer = {
      "",
      "IDs of all files are checked together, so two tables can be checked before they are merged."
          + " Hundreds of millions need little memory and a temporary file of 10 bytes per ID."
    })
final class VerifyCommand implements Callable<Integer> {

  /** The exit code of a failure where 1 is an answer. */
  static final int NO_ANSWER = 3;

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,3}");

  private final Shell shell;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Files with one ID per line, or tables with --column; stdin if none.")
  List<Path> files = List.of();

  @Option(
      names = "--column",
      paramLabel = "COLUMN",
      description = "The column of the IDs: its number from 1, or its name in the first line.")
  @Nullable String column;

  @Option(
      names = "--separator",
      paramLabel = "CHAR",
      description =
          "The column separator; by default a tab if the first line has one, else a comma.")
  @Nullable Character separator;

  @Option(names = "--header", description = "The first line of each file has no ID.")
  boolean header;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      completionCandidates = Arguments.FormatNames.class,
      description = "The form of the IDs: ${COMPLETION-CANDIDATES}; decimal by default.")
  IdFormat format = IdFormat.DECIMAL;

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of the IDs; by default, guessed as in decode.")
  @Nullable IdLayout layout;

  @Option(names = "--skip-bad", description = "Count lines without an ID instead of stopping.")
  boolean skipBad;

  @Option(
      names = "--show",
      paramLabel = "N",
      description = "The number of duplicates to list, 1..1000; 10 by default.")
  int show = 10;

  @Option(
      names = "--temp",
      paramLabel = "DIR",
      description = "The directory of the temporary file.")
  Path temp = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--json", description = "Write an object.")
  boolean json;

  VerifyCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (show < 1 || show > 1000) {
      throw new BadInput("show: " + show + " (expected: 1..1000)");
    }
    if (files.stream().filter(VerifyCommand::isStdin).count() > 1) {
      throw new BadInput("file: - (expected: once, standard input can be read only once)");
    }
    refuseRepeatedFiles();
    if (!Files.isDirectory(temp)) {
      throw new BadInput("temp: " + temp + " (expected: a directory)");
    }
    ProgressLine progress = new ProgressLine(shell, shell.terminal() || Terminal.hasErrors());
    Verification.Result result;
    try (Verification verification = new Verification(lineFormat(), skipBad, temp)) {
      try {
        readAll(verification, progress);
        if (verification.count() == 0) {
          throw new BadInput("ids: none in the input (expected: at least one)");
        }
        result =
            verification.search(
                show, parts -> progress.show("searching", (double) parts / Verification.PARTS));
      } finally {
        progress.clear();
      }
      VerifyReport report = new VerifyReport(shell, verification, result, layout);
      shell.print(json ? report.object() + "\n" : report.text());
    } catch (OutOfMemoryError e) {
      throw new IOException("not enough memory; JAVA_TOOL_OPTIONS=-Xmx1g gives more", e);
    } catch (BadLineException | IllegalArgumentException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    shell.out().flush();
    return result.repeatedIds() > 0 ? 1 : 0;
  }

  /** Refuses a file that is given twice: each of its IDs would be a duplicate. */
  private void refuseRepeatedFiles() {
    Set<Path> seen = new HashSet<>();
    for (Path file : files) {
      if (!seen.add(real(file))) {
        throw new BadInput(
            "file: " + file + " (expected: each file once, this one is given twice)");
      }
    }
  }

  /** Returns the path behind links; the path itself of what has none, as a pipe. */
  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file.toAbsolutePath().normalize();
    }
  }

  private LineFormat lineFormat() {
    boolean numbered = column != null && NUMBER.matcher(column).matches();
    return new LineFormat(
        numbered ? OptionalInt.of(Integer.parseInt(column)) : OptionalInt.empty(),
        numbered ? Optional.empty() : Optional.ofNullable(column),
        Optional.ofNullable(separator),
        header,
        format);
  }

  private void readAll(Verification verification, ProgressLine progress) throws IOException {
    if (files.isEmpty()) {
      read(verification, Path.of("-"), progress, 0, 0);
      return;
    }
    long total = 0;
    for (Path file : files) {
      total += isStdin(file) ? 0 : sizeOf(file);
    }
    boolean known = files.stream().noneMatch(VerifyCommand::isStdin);
    long before = 0;
    for (Path file : files) {
      read(verification, file, progress, before, known ? total : 0);
      before += isStdin(file) ? 0 : sizeOf(file);
    }
  }

  private static boolean isStdin(Path file) {
    return file.toString().equals("-");
  }

  private static long sizeOf(Path file) {
    if (Files.isDirectory(file) || !Files.isReadable(file)) {
      throw unreadable(file, Files.exists(file) ? "" : ", not found");
    }
    return file.toFile().length(); // 0 of a pipe
  }

  private void read(
      Verification verification, Path file, ProgressLine progress, long before, long total)
      throws IOException {
    boolean stdin = isStdin(file);
    if (stdin) {
      shell.announceInput("one per line");
    }
    try (InputStream in = stdin ? InputStream.nullInputStream() : Files.newInputStream(file)) {
      verification.read(
          stdin ? "stdin" : file.toString(),
          stdin ? shell.in() : in,
          bytes ->
              progress.show(
                  HumanText.amount((double) verification.count()) + " IDs",
                  total == 0 ? -1 : (double) (before + bytes) / total));
    } catch (NoSuchFileException e) {
      throw unreadable(file, ", not found");
    } catch (AccessDeniedException e) {
      throw unreadable(file, ", no permission");
    } catch (FileSystemException e) {
      throw unreadable(file, ", " + e.getReason());
    }
  }

  private static BadInput unreadable(Path file, String reason) {
    return new BadInput("file: " + file + reason + " (expected: a readable file)");
  }
}
