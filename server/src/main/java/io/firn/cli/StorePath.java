package io.firn.cli;

import io.firn.jdbc.JdbcRegisterStore;
import io.firn.store.StoreUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The directory or the file of this host that a store is in.
 *
 * @param kind {@code directory} or {@code file}
 * @param path where it is, or would be
 */
record StorePath(String kind, Path path) {

  /**
   * Returns that of an address; empty if it names a server or memory.
   *
   * @param address null for the user's state directory
   */
  static Optional<StorePath> of(Shell shell, @Nullable String address) {
    if (address == null) {
      return Optional.of(new StorePath("directory", shell.state()));
    }
    StoreUri uri = StoreUri.parse(address);
    return isDirectory(uri)
        ? Optional.of(new StorePath("directory", Path.of(uri.path())))
        : JdbcRegisterStore.file(address).map(file -> new StorePath("file", file));
  }

  static boolean isDirectory(StoreUri uri) {
    return uri.scheme().equals("file") && !uri.path().isEmpty() && !uri.hasServers();
  }

  boolean isMissing() {
    return Files.notExists(path);
  }

  /** Returns it, or else the nearest directory above it that is there. */
  Path nearest() {
    for (Path there = path.toAbsolutePath(); there != null; there = there.getParent()) {
      if (!Files.notExists(there)) {
        return there;
      }
    }
    return path;
  }
}
