package io.firn.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.stress.planted.UnguardedDraw;
import io.firn.testkit.Sizes;
import java.io.File;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs jcstress once, briefly, over this module: only as C2 compiles it, in an order of
 * instructions that it draws again each time. The heaps are not touched in advance, which would
 * take two thirds of the time. {@code -Dstress.mode=default} adds the interpreter, C1 and longer
 * runs, takes many minutes and finds rarer things.
 */
class StressTest {
  private static final int LIMIT_MINUTES = 60;
  private static final String MODE = System.getProperty("stress.mode", "brief");
  private static final String RUNNER = "_jcstress.class";
  private static final String SHUFFLED_C2 =
      "-XX:-TieredCompilation -XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM";
  private static final List<String> BRIEF =
      List.of("-m", "quick", "-sc", "false", "-f", "1", "-pth", "false", "-jvmArgs", SHUFFLED_C2);
  private static final List<String> BRIEF_TIME =
      Sizes.isDeep() ? List.of("-time", "100") : List.of("-time", "10", "-iters", "2");
  private static final Pattern TEST = Pattern.compile("\\bio\\.firn\\.stress\\.[\\w.]+");

  @TempDir static Path folder;
  private static String log = "";

  @BeforeAll
  static void run() throws Exception {
    Path output = folder.resolve("log");
    ProcessBuilder jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-v",
                "-r",
                folder.resolve("report").toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    if (MODE.equals("brief")) {
      jcstress.command().addAll(BRIEF);
      jcstress.command().addAll(BRIEF_TIME);
    } else {
      jcstress.command().addAll(List.of("-m", MODE));
    }
    Process process = jcstress.start();
    try {
      assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    log = Files.readString(output, Charset.defaultCharset());
  }

  @Test
  void seesNoForbiddenOutcomeButThePlantedOne() {
    assertThat(testsBetween("  Failed tests:", "  Error tests:"))
        .as(log)
        .containsExactly(UnguardedDraw.class.getName());
  }

  /** jcstress leaves out, and does not mention, a test with more actors than there are CPUs. */
  @Test
  void everyTestCouldRun() throws Exception {
    assertThat(log).contains("  Error tests: No matches.");
    Set<String> all = compiledTests();
    assertThat(all.remove(UnguardedDraw.class.getName())).isTrue();
    assertThat(testsBetween("  All remaining tests:", "  HTML report")).isEqualTo(all);
  }

  /** For each test, jcstress compiles a runner beside it. */
  private static Set<String> compiledTests() throws Exception {
    Path classes =
        Path.of(UnguardedDraw.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(name -> name.endsWith(RUNNER))
          .map(name -> name.replace(RUNNER, "").replace(File.separatorChar, '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<String> testsBetween(String from, String to) {
    int start = log.indexOf(from);
    int end = log.indexOf(to, start);
    assertThat(start).as(log).isPositive();
    assertThat(end).as(log).isGreaterThan(start);
    return new TreeSet<>(
        TEST.matcher(log.substring(start, end)).results().map(MatchResult::group).toList());
  }
}
