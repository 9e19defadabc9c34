package io.firn.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * The class path of processes that tests start, and an archive of the classes of an {@link
 * ArchivedRun}, with which they start sooner. The tests of the server have one made, since they
 * start many: {@code -Dfirn.class-data=true}.
 */
final class ClassData {

  private static final List<Path> CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .map(entry -> Path.of(entry).toAbsolutePath())
          .toList();
  private static final ClassData INSTANCE =
      Boolean.getBoolean("firn.class-data") ? archived() : new ClassData(CLASS_PATH, List.of());

  private final String classPath;
  private final List<String> options;

  private ClassData(List<Path> classPath, List<String> options) {
    this.classPath = joined(classPath);
    this.options = options;
  }

  static String classPath() {
    return INSTANCE.classPath;
  }

  /** Returns the options that name the archive; none if there is none. */
  static List<String> options() {
    return INSTANCE.options;
  }

  /**
   * An archive is one of jars: classes are packed, and those of tests stand behind, as they are.
   */
  private static ClassData archived() {
    List<Path> tests = CLASS_PATH.stream().filter(entry -> entry.endsWith("test-classes")).toList();
    List<Path> jars =
        CLASS_PATH.stream()
            .filter(entry -> !tests.contains(entry))
            .map(entry -> Files.isDirectory(entry) ? jar(entry) : entry)
            .toList();
    Path archive =
        SharedDirectories.of(
                "class-data-" + contents(jars).hashCode(), directory -> dump(jars, directory))
            .resolve("archive");
    List<Path> all = new ArrayList<>(jars);
    all.addAll(tests);
    return new ClassData(
        all,
        Files.exists(archive)
            ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off")
            : List.of());
  }

  private static Path jar(Path classes) {
    try (Stream<Path> files = Files.walk(classes)) {
      String name = "classes-" + contents(files.filter(Files::isRegularFile).toList()).hashCode();
      return SharedDirectories.of(name, directory -> pack(classes, directory))
          .resolve("classes.jar");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void pack(Path classes, Path directory) throws IOException {
    int exit =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--no-compress",
                "--file=" + directory.resolve("classes.jar"),
                "-C",
                classes.toString(),
                ".");
    if (exit != 0) {
      throw new IOException("jar: exit " + exit + " (expected: 0)");
    }
  }

  /**
   * Runs what most processes of tests run, and makes an archive of the classes that it loaded. One
   * that JDK 17 makes at the end of that run has none of Picocli's classes, which are of an old
   * version of class files, and this one has them without their lambdas.
   */
  private static void dump(List<Path> jars, Path directory) throws IOException {
    Path archive = directory.resolve("archive");
    Path loaded = directory.resolve("loaded");
    Path listed = directory.resolve("listed");
    if (run(jars, directory, "-Xshare:off", "-XX:DumpLoadedClassList=" + loaded)) {
      try (Stream<String> lines = Files.lines(loaded)) {
        Files.write(listed, lines.filter(line -> !isLambdaOfPicocli(line)).toList());
      }
      run(
          jars,
          directory,
          "-Xshare:dump",
          "-XX:SharedClassListFile=" + listed,
          "-XX:SharedArchiveFile=" + archive);
    }
  }

  private static boolean isLambdaOfPicocli(String line) {
    return line.startsWith("@lambda-proxy") && line.contains("picocli");
  }

  private static boolean run(List<Path> jars, Path directory, String... options)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    all.addAll(List.of(options));
    ProcessBuilder process =
        new ProcessBuilder(
                TestJvm.command(all, joined(jars), ArchivedRun.class.getName(), List.of()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("output").toFile()));
    FirnServer.clearSettings(process.environment());
    return process.start().onExit().join().exitValue() == 0;
  }

  /** Returns what differs when files do. */
  private static List<String> contents(List<Path> files) {
    List<String> contents = new ArrayList<>(List.of(Runtime.version().toString()));
    try {
      for (Path file : files.stream().sorted().toList()) {
        contents.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return contents;
  }

  private static String joined(List<Path> entries) {
    return String.join(File.pathSeparator, entries.stream().map(Path::toString).toList());
  }
}
