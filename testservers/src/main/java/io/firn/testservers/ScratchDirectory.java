package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A new directory among the temporary files, deleted when it is closed or this JVM ends. */
record ScratchDirectory(Path path) implements AutoCloseable {

  static ScratchDirectory create(String name) {
    try {
      return closedAtExit(Files.createTempDirectory("firn-" + name + "-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates one in another directory. */
  static ScratchDirectory in(Path parent, String name) throws IOException {
    return closedAtExit(Files.createTempDirectory(parent, name + "-"));
  }

  private static ScratchDirectory closedAtExit(Path path) {
    ScratchDirectory directory = new ScratchDirectory(path);
    AtExit.close(directory);
    return directory;
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  Path newDirectory(String name) {
    try {
      return Files.createDirectory(resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether this process is root, to whom the new directory then belongs. */
  boolean belongsToRoot() {
    try {
      return Files.getAttribute(path, "unix:uid").equals(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    AtExit.forget(this);
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // closed before
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
