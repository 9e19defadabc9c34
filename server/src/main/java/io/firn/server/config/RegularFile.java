package io.firn.server.config;

import java.nio.file.Files;
import java.nio.file.Path;

/** The kind of file that a running server reads: to open a pipe waits for its writer. */
final class RegularFile {

  static final String RULE = "a regular file";

  private RegularFile() {}

  /**
   * Refuses something else at the path of a setting.
   *
   * @throws IllegalArgumentException if it is there
   */
  static void check(String key, Path path) {
    if (isOther(path)) {
      throw new IllegalArgumentException(key + ": " + path + " (expected: " + RULE + ")");
    }
  }

  /** Returns whether there is something else at a path. Follows symbolic links. */
  static boolean isOther(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path);
  }
}
