package io.firn.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal of the process. */
final class Terminal {

  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,4}) ([1-9][0-9]{0,4})\\s*");
  private static final long TIMEOUT_MILLIS = 500;

  private Terminal() {}

  /** The numbers of columns and lines. */
  record Size(int columns, int rows) {

    static final Size UNKNOWN = new Size(100, Integer.MAX_VALUE);
  }

  /** Returns whether input and output are a terminal, according to Linux; false elsewhere. */
  static boolean isThere() {
    return isTerminal(0) && isTerminal(1);
  }

  /** Returns whether errors go to a terminal. */
  static boolean hasErrors() {
    return isTerminal(2);
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false; // another system
    }
  }

  /** Returns its size, according to {@code stty}. */
  static Size size() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!stty.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
        stty.destroyForcibly();
        return Size.UNKNOWN;
      }
      Matcher size = SIZE.matcher(new String(stty.getInputStream().readAllBytes(), US_ASCII));
      return size.matches()
          ? new Size(Integer.parseInt(size.group(2)), Integer.parseInt(size.group(1)))
          : Size.UNKNOWN;
    } catch (IOException e) {
      return Size.UNKNOWN; // no such program, or no terminal
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Size.UNKNOWN;
    }
  }
}
