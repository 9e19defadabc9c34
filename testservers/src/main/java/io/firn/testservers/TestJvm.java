package io.firn.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that run a class of the class path of this JVM. */
public final class TestJvm {

  /** The options of a JVM for a test of what a process does. */
  static final List<String> SHORT =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m");

  /** JDKs from this one on warn of native code, unless the manifest says it, as of firn.jar. */
  private static final int WARNS_OF_NATIVE_CODE = 24;

  private TestJvm() {}

  /**
   * Returns the command of a process for a test of what it does: with a small heap, and compiled by
   * C1 alone.
   *
   * @param main its class
   * @param arguments of that class
   */
  public static List<String> command(String main, List<String> arguments) {
    return command(SHORT, main, arguments);
  }

  /**
   * Returns the command of a process.
   *
   * @param options of its JVM
   * @param main its class
   * @param arguments of that class
   */
  public static List<String> command(List<String> options, String main, List<String> arguments) {
    List<String> all = new ArrayList<>(options);
    all.addAll(ClassData.options());
    return command(all, ClassData.classPath(), main, arguments);
  }

  static List<String> command(
      List<String> options, String classPath, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= WARNS_OF_NATIVE_CODE) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return command;
  }
}
