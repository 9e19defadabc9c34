package io.firn.cli;

import io.firn.testservers.TestJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A process that runs a class of this class path. Its output goes to files of one folder. */
final class JavaProcess {

  private static final String ERRORS = "errors";

  private JavaProcess() {}

  /**
   * Returns a process to start.
   *
   * @param output the file for what it prints; its errors go to a file beside it, which all share
   */
  static ProcessBuilder builder(Class<?> main, Path output, String... args) {
    return new ProcessBuilder(TestJvm.command(main.getName(), List.of(args)))
        .redirectOutput(output.toFile())
        .redirectError(ProcessBuilder.Redirect.appendTo(output.resolveSibling(ERRORS).toFile()));
  }

  /** Returns what the processes of a folder printed as errors. */
  static String errors(Path folder) {
    try {
      return Files.readString(folder.resolve(ERRORS));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Returns the whole lines of an output: the last one may be cut short by a kill. */
  static byte[] wholeLines(Path output) throws IOException {
    byte[] text = Files.readAllBytes(output);
    int end = text.length;
    while (end > 0 && text[end - 1] != '\n') {
      end--;
    }
    return Arrays.copyOf(text, end);
  }
}
