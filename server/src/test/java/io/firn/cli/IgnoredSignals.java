package io.firn.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The signals that the processes of these tests ignore, as their parent does: a shell has the jobs
 * behind it ignore SIGINT, and nohup has its job ignore SIGHUP.
 */
final class IgnoredSignals {

  private IgnoredSignals() {}

  static boolean hasHangUp() throws IOException {
    return has(1);
  }

  static boolean hasInterrupt() throws IOException {
    return has(2);
  }

  private static boolean has(int number) throws IOException {
    long bit = 1L << (number - 1);
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .map(line -> line.substring(line.lastIndexOf('\t') + 1))
        .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & bit) != 0);
  }
}
