package io.firn.gates;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Java sources as the compiler parses them, without their types. */
final class SourceTrees {

  /** The trees of some sources, and what finds their places and comments. */
  record Parsed(JavacTask task, List<CompilationUnitTree> units) {}

  private SourceTrees() {}

  /** Parses every source below some folders; a folder that is not there has none. */
  static Parsed below(List<Path> folders) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          files.filter(SourceTrees::isSource).sorted().forEach(sources::add);
        }
      }
    }
    return parse(sources);
  }

  private static boolean isSource(Path file) {
    return file.toString().endsWith(".java") && !file.endsWith("module-info.java");
  }

  private static Parsed parse(List<Path> sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      return new Parsed(task, units);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the main sources of some modules. */
  static List<Path> mainOf(List<String> modules) {
    return modules.stream()
        .map(module -> Checkout.ROOT.resolve(module).resolve("src/main/java"))
        .toList();
  }
}
