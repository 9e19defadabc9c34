package io.firn.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Checks before a measurement that what it finds can be written. */
final class OutputFile {

  private OutputFile() {}

  /**
   * Refuses a file that cannot be written, and leaves it as it is.
   *
   * @throws IllegalArgumentException if it cannot
   */
  static void requireWritable(String option, Optional<Path> file) {
    if (file.isPresent() && !isWritable(file.get())) {
      throw refused(option, file.get(), "a file that can be written");
    }
  }

  /**
   * Refuses a directory in which no file can be made.
   *
   * @throws IllegalArgumentException if it is none, or none can
   */
  static void requireWritableDirectory(String option, Optional<Path> directory) {
    if (directory.isPresent()
        && !(Files.isDirectory(directory.get()) && Files.isWritable(directory.get()))) {
      throw refused(option, directory.get(), "a directory that can be written");
    }
  }

  /** Opens a file, as only that asks the system for everything; a pipe would wait for a reader. */
  private static boolean isWritable(Path file) {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return !Files.isDirectory(file) && Files.isWritable(file);
    }
    boolean isNew = Files.notExists(file);
    try {
      Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE).close();
      if (isNew) {
        Files.delete(file);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static IllegalArgumentException refused(String option, Path path, String rule) {
    return new IllegalArgumentException(option + ": " + path + " (expected: " + rule + ")");
  }
}
