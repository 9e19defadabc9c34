package io.firn.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this host, without asking a name server. */
public final class Host {

  private static final Path HOSTNAME = Path.of("/etc/hostname");
  private static final int MAX_LENGTH = 100;

  private Host() {}

  /** Returns the name, in visible ASCII characters; {@code localhost} if it has none. */
  public static String name() {
    String name = System.getenv("HOSTNAME");
    if (name == null) {
      name = System.getenv("COMPUTERNAME");
    }
    if (name == null) {
      name = fromFile();
    }
    String visible = name.replaceAll("[^\\x21-\\x7e]", "");
    return visible.isEmpty()
        ? "localhost"
        : visible.substring(0, Math.min(MAX_LENGTH, visible.length()));
  }

  private static String fromFile() {
    try {
      return Files.readString(HOSTNAME);
    } catch (IOException e) {
      return "";
    }
  }
}
