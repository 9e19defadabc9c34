package io.firn.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SimulateTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int simulate(String... args) {
    CommandLine command = Simulate.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(args);
  }

  @Test
  void failsIfItsOutputCannotBeWritten() {
    PrintStream full =
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("No space left on device");
              }
            });
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    for (String[] args : new String[][] {{"--help"}, {"--seed", "7"}}) {
      errors.reset();
      assertThat(Simulate.execute(full, new PrintStream(errors, true, UTF_8), args)).isEqualTo(1);
      assertThat(errors.toString(UTF_8))
          .isEqualTo("firn: The output could not be written; check the disk, or who reads it\n");
    }
  }

  @Test
  void reportsThatNoSeedFailed() {
    assertThat(simulate("--seeds", "5", "--from", "40")).isZero();
    assertThat(out.toString()).startsWith("5 seeds, ").contains("no violation");
  }

  @Test
  void replaysASeedWithALineAnEvent() {
    assertThat(simulate("--seed", "7", "--nodes", "2", "--faults", "crash,pause")).isZero();
    assertThat(out.toString())
        .startsWith("seed=7 nodes=2 ")
        .contains("faults=pause,crash\n", "node-1.1 starts", "faults end");
  }

  @Test
  void showsAFailureSmallAndSaysHowToReplayIt() {
    assertThat(simulate("--mutant", "fence_not_checked")).isEqualTo(1);
    assertThat(out.toString()).contains("violation: ", "replay: simulate --seed ");
    String[] replay = out.toString().replaceAll("(?s).*replay: simulate ", "").trim().split(" ");
    assertThat(simulate(replay)).isEqualTo(1);
  }

  @Test
  void refusesAFaultThatItDoesNotKnow() {
    assertThat(simulate("--seed", "1", "--faults", "gremlins")).isEqualTo(2);
    assertThat(err.toString()).startsWith("firn: faults: gremlins (expected: one of drift, step, ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"seeds", "nodes", "slots", "windows"})
  void refusesARunThatCouldFindNothing(String option) {
    assertThat(simulate("--" + option, "0")).isEqualTo(2);
    assertThat(err)
        .hasToString("firn: " + option + ": 0 (expected: 1 or more)\nTry: firn simulate --help\n");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void refusesCarryOverFilesOnAStoreThatMayLoseWrites() {
    assertThat(simulate("--carry-over", "--losses")).isEqualTo(2);
    assertThat(err)
        .hasToString(
            """
            firn: carry-over: on a store that may lose writes (expected: on one that keeps them;\
             leases refuse carry-over files on others)
            Try: firn simulate --help
            """);
    assertThat(simulate("--carry-over", "--seed", "1", "--faults", "forget")).isEqualTo(2);
    assertThat(simulate("--carry-over", "--amnesia", "--seeds", "1")).isEqualTo(2);
  }

  @Test
  void refusesWhatItDoesNotKnowInTwoLines() {
    assertThat(simulate("--nonsense")).isEqualTo(2);
    assertThat(err)
        .hasToString(
            """
            firn: option: --nonsense (expected: one of --help)
            Try: firn simulate --help
            """);
    assertThat(simulate("many", "seeds")).isEqualTo(2);
    assertThat(err.toString()).contains("firn: argument: many (expected: one of --help)\n");
    assertThat(simulate("--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: firn simulate ");
  }

  @Test
  void drawsTheComparison(@TempDir Path folder) throws Exception {
    Path picture = folder.resolve("collisions.svg");
    assertThat(simulate("--compare", "--seeds", "2", "--svg", picture.toString())).isZero();
    assertThat(out.toString()).contains("| Firn ");
    assertThat(Files.readString(picture)).startsWith("<svg ").endsWith("</svg>\n");
  }
}
