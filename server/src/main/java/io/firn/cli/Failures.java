package io.firn.cli;

import io.firn.FirnException;
import io.firn.integration.GeneratorSettings.Setting;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Prints in one line why a command failed. A reader that closes the pipe has all it wants: that is
 * not a failure. Neither is an error caused by stopping the process. The exit code is 1, or what
 * the command says where 1 is an answer of it.
 */
final class Failures implements IExecutionExceptionHandler {

  /** The form of the library's messages about an argument that it refuses. */
  private static final Pattern REFUSAL =
      Pattern.compile("[A-Za-z-]+: .*\\(expected: .*\\)", Pattern.DOTALL);

  private final Shell shell;
  private final RootCommand root;

  Failures(Shell shell, RootCommand root) {
    this.shell = shell;
    this.root = root;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed)
      throws Exception {
    if (e instanceof BadInput) {
      return ParseErrors.refuse(shell, command, String.valueOf(e.getMessage()));
    }
    if (e instanceof IllegalArgumentException refusal) {
      String text = BadInput.text(refusal);
      if (isRefusal(text)) {
        return ParseErrors.refuse(shell, command, text);
      }
    }
    if (isClosedPipe(e) || AtExit.isEnding()) {
      return ExitCode.OK;
    }
    if (e instanceof IOException) {
      shell.err().println("firn: " + message(e));
    } else {
      shell.complain(message(e));
    }
    if (shell.trace() || root.trace) {
      e.printStackTrace(shell.err());
    }
    return command.getCommandSpec().exitCodeOnExecutionException();
  }

  /** Returns whether a message says that an argument or a setting is wrong. */
  static boolean isRefusal(String message) {
    return REFUSAL.matcher(message).matches();
  }

  /**
   * Recognizes the system's words for EPIPE; translations of them keep the word. A message that
   * names a file, or wraps another failure, may have that word for another reason.
   */
  private static boolean isClosedPipe(Exception e) {
    return e instanceof IOException
        && !(e instanceof FileSystemException)
        && e.getCause() == null
        && String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("pipe");
  }

  private static String message(Exception e) {
    if (e instanceof FirnException) {
      return Setting.withKeys(String.valueOf(e.getMessage()));
    }
    if (e instanceof IOException) {
      return "The command could not read or write: "
          + e.getMessage()
          + "; check the disk and the other end of the pipe";
    }
    return "The command failed unexpectedly: "
        + e
        + "; run it again with --trace, and report what it prints";
  }
}
