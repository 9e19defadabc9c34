package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Directories that cost much to make and that nobody changes. All JVMs of a build share them, in
 * the build directory of this module. Where this module is installed, each JVM has its own until it
 * ends.
 */
final class SharedDirectories {

  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Path PARENT = parent();

  private SharedDirectories() {}

  /** Fills a directory. */
  interface Content {
    void into(Path directory) throws IOException;
  }

  /**
   * Returns the directory of that name, and makes it if it is not there.
   *
   * @param name different for different content
   */
  static Path of(String name, Content content) {
    Path directory = PARENT.resolve(name);
    LOCK.lock(); // a file lock is one of the whole JVM
    try (FileChannel file =
        FileChannel.open(
            PARENT.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      FileLock lock = file.lock();
      if (!Files.exists(directory)) {
        make(directory, content);
      }
      lock.release();
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      LOCK.unlock();
    }
  }

  /** It appears whole or not at all. */
  private static void make(Path directory, Content content) throws IOException {
    try (ScratchDirectory scratch = ScratchDirectory.in(PARENT, "unfinished")) {
      Path whole = scratch.newDirectory("whole");
      content.into(whole);
      Files.move(whole, directory, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static Path parent() {
    try {
      Path classes =
          Path.of(
              SharedDirectories.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path build = classes.resolveSibling("shared");
      return build.endsWith(Path.of("target", "shared"))
          ? Files.createDirectories(build)
          : ScratchDirectory.create("shared").path();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
