package io.firn.testservers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A program that no registry of Java has. Tests that need one run where it is on the PATH.
 *
 * @param name the file
 * @param debianPackage what brings it
 * @param require the environment variable or system property that makes a missing one an error, if
 *     it is 1
 */
public record InstalledProgram(String name, String debianPackage, String require) {

  /** Returns whether it is installed, according to {@link #find}. */
  public boolean isInstalled() {
    return find().isPresent();
  }

  /**
   * Returns where it is.
   *
   * @throws IllegalStateException if it is not on the PATH and {@link #require} is 1
   */
  public Optional<Path> find() {
    return find(
        System.getenv().getOrDefault("PATH", ""),
        System.getProperty(require, System.getenv(require)));
  }

  Optional<Path> find(String path, @Nullable String required) {
    Optional<Path> found =
        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(path)
            .map(directory -> Path.of(directory, name))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isEmpty() && "1".equals(required)) {
      throw missing();
    }
    return found;
  }

  IllegalStateException missing() {
    return new IllegalStateException(
        name + " is not on the PATH; run `apt-get install " + debianPackage + "`");
  }
}
