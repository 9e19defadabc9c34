package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line of the benchmarks, as far as it measures nothing. */
final class BenchTest {

  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int bench(String... args) throws Exception {
    out.reset();
    err.reset();
    return Bench.execute(
        new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
  }

  @Test
  void helpNamesEveryOptionOnStandardOutput() throws Exception {
    for (String[] args :
        new String[][] {{"--help"}, {"-h"}, {"scale", "--help"}, {"--quick", "--help"}}) {
      assertThat(bench(args)).isZero();
      assertThat(out.toString(UTF_8))
          .startsWith("Usage: firn bench ")
          .contains("scale", "--quick", "--json", "--svg", "--from", "--store")
          .matches("(?s)([^\n]{1,80}\n)+");
      assertThat(err.size()).isZero();
    }
  }

  @Test
  void badInputIsRefusedInTwoLines() throws Exception {
    for (String[] args : new String[][] {{"-q"}, {"scale", "-q"}}) {
      assertThat(bench(args)).isEqualTo(2);
      assertThat(err.toString(UTF_8))
          .startsWith("firn: argument: -q (expected: --quick, ")
          .endsWith(")\nTry: firn bench --help\n");
      assertThat(out.size()).isZero();
    }
  }

  @Test
  void aFileThatIsNoRunIsNamedWithoutAStack() throws Exception {
    String missing = directory.resolve("missing.json").toString();
    String other = Files.writeString(directory.resolve("other.json"), "not JSON").toString();
    for (String command : new String[] {"", "scale "}) {
      assertThat(bench((command + "--from " + missing).split(" "))).isEqualTo(1);
      assertThat(err.toString(UTF_8)).startsWith("firn: ").contains(missing).hasLineCount(1);
      assertThat(bench((command + "--from " + other).split(" "))).isEqualTo(2);
      assertThat(err.toString(UTF_8)).startsWith("firn: ").contains("expected: ").hasLineCount(2);
    }
  }
}
