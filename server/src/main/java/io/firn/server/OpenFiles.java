package io.firn.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limit of open files of a process, each connection one of them. */
final class OpenFiles {

  /**
   * Files that are not connections below the limit: about 80 of the process itself, those of the
   * stores, and at most 232 connections beyond the limit.
   */
  private static final int OTHERS = 384;

  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files +([0-9]{1,9}) ");

  private OpenFiles() {}

  /** Returns how many connections there may be, as far as the system says so. */
  static int connections() {
    try {
      return connections(Files.readString(LIMITS));
    } catch (IOException e) { // no Linux
      return Integer.MAX_VALUE;
    }
  }

  /** Returns the same for the text of the limits. Half of few files are connections. */
  static int connections(String limits) {
    Matcher files = SOFT_LIMIT.matcher(limits);
    if (!files.find()) {
      return Integer.MAX_VALUE;
    }
    int most = Integer.parseInt(files.group(1));
    return Math.max(most / 2, most - OTHERS);
  }
}
