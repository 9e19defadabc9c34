package io.firn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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

  /** A measurement takes minutes; a wrong path must not cost them. */
  @Test
  void aFileThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured() throws Exception {
    String lost = directory.resolve("nope/x").toString();
    for (String option : new String[] {"--json", "--svg"}) {
      assertThat(bench("--quick", "saturated", option, lost)).isEqualTo(2);
      assertThat(err.toString(UTF_8))
          .isEqualTo(
              "firn: "
                  + option.substring(2)
                  + ": "
                  + lost
                  + " (expected: a file that can be written)\nTry: firn bench --help\n");
      assertThat(out.size()).isZero();
    }
    assertThat(bench("scale", "--quick", "--json", lost)).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("firn: json: " + lost + " (expected: a file ");
    assertThat(bench("scale", "--quick", "--svg", lost)).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("firn: svg: " + lost + " (expected: a directory ");
  }

  @Test
  void theCheckOfAFileLeavesTheFileAsItIs() throws Exception {
    Path old = Files.writeString(directory.resolve("old.json"), "old");
    Path none = directory.resolve("none.json");
    OutputFile.requireWritable("json", Optional.of(old));
    OutputFile.requireWritable("json", Optional.of(none));
    OutputFile.requireWritable("json", Optional.empty());
    assertThat(old).hasContent("old");
    assertThat(none).doesNotExist();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutputFile.requireWritable("json", Optional.of(directory)))
        .withMessage("json: " + directory + " (expected: a file that can be written)");
  }

  @Test
  void theTableIsPrintedEvenIfAFileCannotBeWrittenInTheEnd() throws Exception {
    Arguments arguments = Arguments.parse("--json", directory.toString());
    assertThatIOException()
        .isThrownBy(
            () -> Bench.publish(new PrintStream(out, true, UTF_8), arguments, RunTest.run()))
        .withMessageContaining(directory.toString());
    assertThat(out.toString(UTF_8)).contains("|");
  }

  @Test
  void anOutputThatCannotBeWrittenIsAFailure() throws Exception {
    PrintStream full =
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("No space left on device");
              }
            });
    assertThat(Bench.execute(full, new PrintStream(err, true, UTF_8), "--help")).isEqualTo(1);
    assertThat(err.toString(UTF_8))
        .isEqualTo("firn: The output could not be written; check the disk, or who reads it\n");
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
